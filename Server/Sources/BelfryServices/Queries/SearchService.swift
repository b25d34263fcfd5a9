import BelfryModel
import BelfryServerModel
import BelfryStore

/// The search results for one text in an app (CON-2).
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

/// Finds campaigns by a part of their name or by their number, contacts by any of their names (the beginning of the
/// key, a former key, the value of a contact field, the number of a party identifier), and devices by id or push token.
/// Each search is bounded, regardless of the app's size (ADM-7).
package struct SearchService: Sendable {
    /// The most campaigns that are searched, newest first.
    package static let maximumCampaigns = 500
    /// The most bytes of a search text.
    package static let maximumLength = 512

    let database: any SQLDatabase

    package init(database: any SQLDatabase) {
        self.database = database
    }

    /// - Parameter limit: the most entries of each kind.
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

    /// Devices by id or push token. Both have an index, so a text that is neither costs two lookups.
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

    /// The fewest bytes of a text that may be a push token.
    private static let shortestToken = 6

    private static func trimmed(_ text: String) -> String {
        let space = UInt8(ascii: " ")
        let bytes = Array(text.utf8.drop { $0 == space })
        guard let last = bytes.lastIndex(where: { $0 != space }) else { return "" }
        return String(decoding: bytes[...last], as: UTF8.self)
    }
}
