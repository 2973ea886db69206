"""The same models written in other ways, each as well tuned as its idea allows."""
