extension OpenAPI {
    /// The admin API: campaigns from draft to end.
    static let campaignOperations: [Operation] = [
        createCampaign, listCampaigns, readCampaign, updateCampaign, deleteCampaign, countAudience,
        step(
            "launch", "Launch a campaign",
            """
            Plans the audience and sends; an in-app campaign is active from then on, until it ends. Without credentials \
            of a push service it is a conflict, unless devices fetch what it has for them.
            """),
        step("pause", "Pause a campaign", "Sends no more until it is resumed."),
        step("resume", "Resume a campaign", "Goes on with what is left."),
        step(
            "cancel", "Cancel a campaign",
            """
            What was not sent yet is cancelled; what is under way ends by itself, and in-app messages that were \
            downloaded at their own end.
            """),
        step(
            "recall", "Take an in-app message back from devices",
            "Devices that have it remove it when they ask next. The campaign is cancelled, if it is not yet."),
    ]

    private static let countAudience = Operation(
        method: .post, path: "\(app)/audience", id: "countAudience", area: .campaigns, access: .admin(.read),
        summary: "Count the devices of an audience", description: "Nothing is saved, and nothing is sent.",
        body: Operation.Body("AudienceCountRequest"),
        answers: [.ok("AudienceCountAnswer", "How many belong to it now.")], faults: [.notFound]
    )

    private static let createCampaign = Operation(
        method: .post, path: "\(app)/campaigns", id: "createCampaign", area: .campaigns, access: .admin(.campaign),
        summary: "Save a new campaign as a draft", body: Operation.Body("CampaignRequest"),
        answers: [.created("CampaignStatusAnswer", "It is a draft.")], faults: [.notFound]
    )

    private static let listCampaigns = Operation(
        method: .get, path: "\(app)/campaigns", id: "listCampaigns", area: .campaigns, access: .admin(.read),
        summary: "List the campaigns", description: "The newest first.",
        parameters: page(
            standard: CampaignController.standardPage, maximum: CampaignController.maximumPage
        ),
        answers: [.ok("CampaignListAnswer", "One page.")], faults: [.notFound]
    )

    private static let readCampaign = Operation(
        method: .get, path: "\(app)/campaigns/{id}", id: "readCampaign", area: .campaigns, access: .admin(.read),
        summary: "Read a campaign and its figures", answers: [.ok("CampaignAnswer", "The campaign.")],
        faults: [.notFound]
    )

    private static let updateCampaign = Operation(
        method: .put, path: "\(app)/campaigns/{id}", id: "updateCampaign", area: .campaigns, access: .admin(.campaign),
        summary: "Replace a draft, or publish an in-app message anew",
        description: """
            An in-app campaign that is active or paused is published at once: devices get the new version in place of \
            the old one. Any other campaign that is no draft any more is a conflict.
            """,
        body: Operation.Body("CampaignRequest"),
        answers: [.ok("CampaignStatusAnswer", "It is saved.")], faults: [.notFound]
    )

    private static let deleteCampaign = Operation(
        method: .delete, path: "\(app)/campaigns/{id}", id: "deleteCampaign", area: .campaigns,
        access: .admin(.campaign), summary: "Delete a campaign",
        description: """
            A draft is gone. One that is over leaves the list, and is found by its id. An in-app campaign is cancelled: \
            who has not downloaded its message never gets it, copies on devices go on until their end. Any other that \
            is scheduled, sending or paused is a conflict.
            """,
        answers: [.done("It is gone.")], faults: [.notFound]
    )

    /// Launch, pause, resume, cancel and recall: each may be repeated, and a body says nothing.
    private static func step(_ name: String, _ summary: String, _ description: String) -> Operation {
        Operation(
            method: .post, path: "\(app)/campaigns/{id}/\(name)", id: "\(name)Campaign", area: .campaigns,
            access: .admin(.campaign), summary: summary,
            description: "\(description) It may be repeated; in the wrong state it is a conflict.",
            answers: [.accepted("CampaignStatusAnswer", "Where it stands now.")], faults: [.notFound]
        )
    }

    /// The parameters of a list that comes in pages (ADM-3).
    static func page(standard: Int, maximum: Int) -> [Parameter] {
        [
            Parameter(
                name: "limit", place: .query, schema: .integer(1...Int64(maximum)),
                description: "How many at most; default \(standard)."
            ),
            Parameter(
                name: "cursor", place: .query, schema: .string(),
                description: "The cursor of the page before; without one the list begins."
            ),
        ]
    }
}
