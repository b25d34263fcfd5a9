import BelfryModel
import BelfryServerModel
import BelfryServices

/// The status of a rehearsal: the response to its start and its cancel.
package struct RehearsalStatusResponse: Hashable, Sendable, Codable {
    package var id: String
    package var status: RehearsalStatus

    package init(id: String, status: RehearsalStatus) {
        self.id = id
        self.status = status
    }

    init(_ rehearsal: Rehearsal) {
        self.init(id: String(rehearsal.id), status: rehearsal.status)
    }
}

extension RehearsalStatusResponse: Described {
    static let schema: JSONSchema = .object(["id": .string(), "status": .cases(of: RehearsalStatus.self)])
}

/// The rehearsals of a campaign.
package struct RehearsalListResponse: Hashable, Sendable, Codable {
    package struct Entry: Hashable, Sendable, Codable {
        package var id: String
        package var status: RehearsalStatus
        /// The version of the rehearsed draft.
        package var version: String
        package var requestedAt: String
        package var endedAt: String?
        package var audience: Int

        init(_ rehearsal: Rehearsal) {
            id = String(rehearsal.id)
            status = rehearsal.status
            version = rehearsal.version
            requestedAt = Timestamp.text(rehearsal.requestedAt)
            endedAt = rehearsal.endedAt.map(Timestamp.text)
            audience = rehearsal.audience
        }
    }

    package var rehearsals: [Entry]
}

extension RehearsalListResponse: Described {
    static let schema: JSONSchema = .object(["rehearsals": .list(of: .of(RehearsalListResponse.Entry.self))])
}

extension RehearsalListResponse.Entry: Described {
    static let schemaName = "RehearsalEntry"

    static let schema: JSONSchema = .object(
        [
            "id": .string(), "status": .cases(of: RehearsalStatus.self), "version": .rehearsedVersion,
            "requestedAt": .of(Timestamp.self), "audience": .count,
        ],
        optional: ["endedAt": .of(Timestamp.self)]
    )
}

/// The devices behind a number in a rehearsal.
package struct RehearsedDevicesResponse: Hashable, Sendable, Codable {
    package var devices: [RehearsalResponse.Sample]
    package var cursor: String?

    package init(devices: [RehearsalResponse.Sample], cursor: String? = nil) {
        self.devices = devices
        self.cursor = cursor
    }
}

extension RehearsedDevicesResponse: Described {
    static let schema: JSONSchema = .object(
        ["devices": .list(of: .of(RehearsalResponse.Sample.self))], optional: ["cursor": .cursor]
    )
}

extension JSONSchema {
    static let rehearsedVersion: JSONSchema = .string().described(
        "The draft that was rehearsed: two drafts that say the same have the same version."
    )
}
