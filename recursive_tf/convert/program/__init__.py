"""From a function to a program of SubGraphs that runs."""
