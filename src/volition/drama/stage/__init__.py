"""An evening on the stage: played with its log, interfered with, archived and replayed."""
