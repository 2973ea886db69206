"""The front end: `@rtf.recursive`."""
