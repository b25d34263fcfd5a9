import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation

/// The author of an edit, a comment or a decision (CON-5).
package struct AuthorResponse: Hashable, Sendable, Codable {
    package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        case user
        case key
    }

    package var type: Kind
    /// Absent if the person has been removed.
    package var name: String?
    package var displayName: String?

    package init(type: Kind, name: String?, displayName: String?) {
        self.type = type
        self.name = name
        self.displayName = displayName
    }

    package init(_ author: NamedAuthor) {
        switch author.author {
        case .user: self.init(type: .user, name: author.userName, displayName: author.displayName)
        case .key(let name): self.init(type: .key, name: name, displayName: nil)
        }
    }
}

extension AuthorResponse: Described {
    static let schema: JSONSchema = .object(
        ["type": .cases(of: Kind.self).described("A person who signs in, or a key of the admin API.")],
        optional: [
            "name": .string().described(
                "What the person signs in with, or the name of the key; absent for a person who has been removed."),
            "displayName": .string().described("The person's name on pages."),
        ]
    )
}

/// A version of a campaign (CON-5).
package struct CampaignVersionResponse: Hashable, Sendable, Codable {
    package var version: Int64
    package var savedAt: String
    /// Absent when the author is not known.
    package var author: AuthorResponse?
    /// False for an unpublished change of a launched in-app message.
    package var isPublished: Bool
    package var resetDisplays: Bool

    package init(
        version: Int64, savedAt: String, author: AuthorResponse?, isPublished: Bool, resetDisplays: Bool
    ) {
        self.version = version
        self.savedAt = savedAt
        self.author = author
        self.isPublished = isPublished
        self.resetDisplays = resetDisplays
    }
}

extension CampaignVersionResponse {
    init(_ version: CampaignVersionService.Version) {
        self.init(
            version: version.number, savedAt: Timestamp.text(version.savedAt),
            author: version.author.map(AuthorResponse.init), isPublished: version.isPublished,
            resetDisplays: version.resetsDisplays
        )
    }
}

extension CampaignVersionResponse: Described {
    static let schema: JSONSchema = .object(required, optional: optional)

    fileprivate static let required: [String: JSONSchema] = [
        "version": .integer(1...Int32.max), "savedAt": .of(Timestamp.self),
        "isPublished": .boolean.described("False for a change of a launched in-app message that waits."),
        "resetDisplays": .boolean.described("Whether it resets the display counts."),
    ]

    fileprivate static let optional: [String: JSONSchema] = [
        "author": .of(AuthorResponse.self).described("Absent if it was saved before versions were noted.")
    ]
}

/// `GET …/versions`.
package struct CampaignVersionListResponse: Hashable, Sendable, Codable {
    package var versions: [CampaignVersionResponse]
    package var cursor: String?

    package init(versions: [CampaignVersionResponse], cursor: String?) {
        self.versions = versions
        self.cursor = cursor
    }
}

extension CampaignVersionListResponse: Described {
    static let schema: JSONSchema = .object(
        ["versions": .list(of: .of(CampaignVersionResponse.self))], optional: ["cursor": .cursor]
    )
}

/// `GET …/versions/{version}`.
package struct CampaignVersionContentResponse: Hashable, Sendable, Codable {
    package var version: CampaignVersionResponse
    /// The content, as a request that would save it.
    package var content: CampaignRequest

    package init(version: CampaignVersionResponse, content: CampaignRequest) {
        self.version = version
        self.content = content
    }
}

extension CampaignVersionContentResponse: Described {
    static let schema: JSONSchema = .object([
        "version": .of(CampaignVersionResponse.self),
        "content": .of(CampaignRequest.self).described("The content, as a request that saves it."),
    ])
}

extension CampaignRequest {
    init(_ draft: CampaignDraft) {
        self.init(
            name: draft.name, kind: draft.kind, audience: draft.audience, push: draft.push,
            messageCenter: draft.messageCenter, inApp: draft.inApp.map { InAppDraftRequest($0) },
            schedule: draft.schedule
        )
    }
}

/// `GET …/versions/{version}/differences`.
package struct CampaignDifferencesResponse: Hashable, Sendable, Codable {
    package struct Part: Hashable, Sendable, Codable {
        package var field: String
        /// Absent if the version has no such part.
        package var old: String?
        package var new: String?

        package init(field: String, old: String?, new: String?) {
            self.field = field
            self.old = old
            self.new = new
        }
    }

    /// Absent when no earlier version is stored.
    package var from: Int64?
    package var to: Int64
    package var differences: [Part]
    /// How many further parts differ.
    package var others: Int

    package init(from: Int64?, to: Int64, differences: [Part], others: Int) {
        self.from = from
        self.to = to
        self.differences = differences
        self.others = others
    }
}

extension CampaignDifferencesResponse {
    init(_ comparison: CampaignVersionService.Comparison) {
        self.init(
            from: comparison.from?.number, to: comparison.to.number,
            differences: comparison.differences.parts.map { Part(field: $0.field, old: $0.old, new: $0.new) },
            others: comparison.differences.others
        )
    }
}

extension CampaignDifferencesResponse: Described {
    static let schema: JSONSchema = .object(
        [
            "to": .integer(1...Int32.max),
            "differences": .list(
                of: .object(
                    ["field": .string().described("`push.buttons[0].text`; an audience is one part.")],
                    optional: [
                        "old": .string().described("Absent: the earlier version has no such part."),
                        "new": .string().described("Absent: the later version has no such part."),
                    ]
                ),
                0...DraftDifferences.maximumParts
            )
            .described(
                """
                Values are texts as they are, and everything else as JSON. Of texts beyond \
                \(DraftDifferences.maximumLength) characters it is what follows their first difference.
                """
            ),
            "others": .count.described("Further parts that differ."),
        ],
        optional: ["from": .integer(1...Int32.max).described("Absent: no earlier version is kept.")]
    )
}
