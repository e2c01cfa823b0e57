module agentrun

go 1.19
