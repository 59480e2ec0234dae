"""Who a token belongs to, and the certificate that clients verify."""
