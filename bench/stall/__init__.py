"""What readers that stop reading cost the others, and the gateway's memory."""
