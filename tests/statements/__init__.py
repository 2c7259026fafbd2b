"""What the four documents state, lived through under their presets by the public interface."""
