import BelfryModel
import BelfryServerModel
import BelfryStore

/// What one text finds in an app (CON-2).
package struct SearchResults: Sendable {
    package let campaigns: [CampaignSummary]
    package let contacts: [ContactProfile.Contact]
    package let devices: [ListedDevice]

    package init(campaigns: [CampaignSummary], contacts: [ContactProfile.Contact], devices: [ListedDevice]) {
        self.campaigns = campaigns
        self.contacts = contacts
        self.devices = devices
    }

    package var isEmpty: Bool { campaigns.isEmpty && contacts.isEmpty && devices.isEmpty }
}

/// Finds campaigns by a part of their name or by their number, contacts by whatever names them (the beginning of their key,
/// a former key, the value of a contact field, the number of a party identifier), devices by id or push token. Each is bounded, whatever the size of the app (ADM-7).
package struct SearchService: Sendable {
    /// Campaigns that are looked through, the newest.
    package static let maximumCampaigns = 500
    /// Bytes of a text that is looked for.
    package static let maximumLength = 512

    let database: any SQLDatabase

    package init(database: any SQLDatabase) {
        self.database = database
    }

    /// - Parameter limit: entries of each kind.
    package func find(_ text: String, app: AppRecord, limit: Int) async throws -> SearchResults {
        let text = Self.trimmed(text)
        guard !text.isEmpty, text.utf8.count <= Self.maximumLength, !text.utf8.contains(0) else {
            return SearchResults(campaigns: [], contacts: [], devices: [])
        }
        let directory = DirectoryQueries(database: database)
        async let campaigns = campaigns(text, app: app, limit: limit)
        async let contacts = directory.contacts(named: text, app: app, limit: limit)
        return SearchResults(
            campaigns: try await campaigns, contacts: try await contacts,
            devices: try await devices(text, app: app, limit: limit, directory)
        )
    }

    private func campaigns(_ text: String, app: AppRecord, limit: Int) async throws -> [CampaignSummary] {
        let newest = try await database.read {
            try $0.campaigns.list(app: app.id, before: nil, limit: Self.maximumCampaigns)
        }
        let wanted = CampaignFilter(text: text)
        return Array(
            newest.lazy.filter { $0.id.description == text || wanted.matches($0) }.prefix(limit)
        )
    }

    /// A device has one id and few have a token: what is neither costs a look at an index.
    private func devices(
        _ text: String, app: AppRecord, limit: Int, _ directory: DirectoryQueries
    ) async throws -> [ListedDevice] {
        let byID = try await directory.devices(
            matching: DeviceListFilter(client: text), app: app, before: nil, limit: limit
        ).devices
        guard byID.isEmpty, text.utf8.count >= Self.shortestToken else { return byID }
        return try await directory.devices(
            matching: DeviceListFilter(pushToken: text), app: app, before: nil, limit: limit
        ).devices
    }

    /// Bytes of a text that may be a push token.
    private static let shortestToken = 6

    private static func trimmed(_ text: String) -> String {
        let space = UInt8(ascii: " ")
        let bytes = Array(text.utf8.drop { $0 == space })
        guard let last = bytes.lastIndex(where: { $0 != space }) else { return "" }
        return String(decoding: bytes[...last], as: UTF8.self)
    }
}
