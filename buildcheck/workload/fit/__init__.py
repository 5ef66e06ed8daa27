"""A model and a machine → whether it fits, how it can be made to fit, how large one may be."""
