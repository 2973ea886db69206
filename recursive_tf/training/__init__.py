"""Training of the models: configuration, data, the loop, checkpoints, and the record of a run."""
