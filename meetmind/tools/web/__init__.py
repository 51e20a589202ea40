"""What the fetching of a page is made of: addresses, connections, readable text."""
