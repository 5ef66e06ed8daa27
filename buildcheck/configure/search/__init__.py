"""Best first over all machines of a wish, by the law itself."""
