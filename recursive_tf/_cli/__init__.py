"""The commands of `recursive-tf`, one file each; `recursive_tf.cli` has their options."""
