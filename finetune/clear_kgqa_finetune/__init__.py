"""LoRA fine-tuning of the likelihood helper and of the agent, from a team's own recorded dialogues."""
