// Nothing is called: it is loaded.
