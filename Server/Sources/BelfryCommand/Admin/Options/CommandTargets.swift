import ArgumentParser
import BelfryAPI

/// One campaign of one app.
struct CampaignTarget: ParsableArguments {
    @OptionGroup var admin: AdminOptions
    @Argument(help: "The app's code.")
    var app: String
    @Argument(help: "The campaign's id.")
    var id: String

    func validate() throws {
        // Without an id the address would be the list's.
        guard !id.isEmpty else { throw ValidationError("The campaign's id is empty.") }
    }

    /// Launches, pauses, resumes or cancels it.
    func change(_ step: AdminRoute<NoBody, CampaignStatusResponse>) async throws {
        let answer: CampaignStatusResponse = try await admin.withClient { client in
            try await client.call(step, app, id)
        }
        try admin.show(answer) { "Campaign \($0.id) is \($0.status.rawValue)." }
    }
}

/// One device of one app.
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

/// One contact of one app.
struct ContactTarget: ParsableArguments {
    @OptionGroup var admin: AdminOptions
    @Argument(help: "The app's code.")
    var app: String
    @Argument(help: "The contact's key.")
    var key: String

    func validate() throws {
        // Without a key the address would be the list's.
        guard !key.isEmpty else { throw ValidationError("The contact's key is empty.") }
    }
}
