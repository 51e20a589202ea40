"""Drawing: the parts of the Streamlit pages."""
