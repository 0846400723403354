"""Pictures of the site, made by code: what explains a metric, and how a healthy and a sick run look."""
