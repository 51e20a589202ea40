"""HTTP routes and cookies around the app."""
