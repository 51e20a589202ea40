"""Chat models: building, calling, structured answers, offline and scripted stand-ins."""
