extension OpenAPI {
    /// The admin API: what is tried before a campaign's launch.
    static let trialOperations: [Operation] = [
        Operation(
            method: .post, path: "\(app)/campaigns/{id}/preview", id: "previewCampaign", area: .campaigns,
            access: .admin(.read), summary: "Show a campaign as real recipients would see it",
            description: "Of the named devices, or of some of the audience. Nothing is sent.",
            body: Operation.Body("CampaignPreviewRequest"),
            answers: [.ok("CampaignPreviewAnswer", "One preview for each device.")], faults: [.notFound]
        ),
        Operation(
            method: .post, path: "\(app)/campaigns/{id}/dry-run", id: "dryRunCampaign", area: .campaigns,
            access: .admin(.read), summary: "Say who would get a campaign, and who not, by reason",
            description: "As if it were launched now. Nothing is sent, and a body says nothing.",
            answers: [.ok("DryRunAnswer", "Sums over the audience, and some of its devices.")], faults: [.notFound]
        ),
        Operation(
            method: .post, path: "\(app)/campaigns/{id}/test", id: "testCampaign", area: .campaigns,
            access: .admin(.campaign), summary: "Send a campaign to named devices before its launch",
            description: """
                At once, whatever its audience and schedule; it leaves no trace in the campaign's figures. A campaign \
                without a notification is a conflict.
                """,
            body: Operation.Body("TestSendRequest"),
            answers: [.ok("TestSendAnswer", "What became of it, device by device.")], faults: [.notFound]
        ),
    ]
}
