"""The checked IR: an exchange and its schedules with names bound, and the plan that they are lowered to."""
