import ArgumentParser
import BelfryAPI

/// The arguments that name one campaign of one app.
struct CampaignTarget: ParsableArguments {
    @OptionGroup var admin: AdminOptions
    @Argument(help: "The app's code.")
    var app: String
    @Argument(help: "The campaign's id.")
    var id: String

    func validate() throws {
        // Without an id the path would be that of the list.
        guard !id.isEmpty else { throw ValidationError("The campaign's id is empty.") }
    }

    /// Launches, pauses, resumes or cancels the campaign.
    func change(_ step: AdminRoute<NoBody, CampaignStatusResponse>) async throws {
        let answer: CampaignStatusResponse = try await admin.withClient { client in
            try await client.call(step, app, id)
        }
        try admin.show(answer) { "Campaign \($0.id) is \($0.status.rawValue)." }
    }
}

/// The arguments that name one device of one app.
struct DeviceTarget: ParsableArguments {
    @OptionGroup var admin: AdminOptions
    @Argument(help: "The app's code.")
    var app: String
    @Argument(help: "The device's id.")
    var id: String

    func validate() throws {
        guard !id.isEmpty else { throw ValidationError("The device's id is empty.") }
    }
}

/// The arguments that name one contact of one app.
struct ContactTarget: ParsableArguments {
    @OptionGroup var admin: AdminOptions
    @Argument(help: "The app's code.")
    var app: String
    @Argument(help: "The contact's key.")
    var key: String

    func validate() throws {
        // Without a key the path would be that of the list.
        guard !key.isEmpty else { throw ValidationError("The contact's key is empty.") }
    }
}
