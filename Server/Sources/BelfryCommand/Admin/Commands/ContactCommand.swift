import ArgumentParser
import BelfryAPI
import BelfryWire

struct ContactCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "contact",
        abstract: "List, show, rename and merge an app's contacts, their history and messages, and remove orphans.",
        subcommands: [
            List.self, Show.self, ContactTimelineCommand.self, ContactMessagesCommand.self,
            ContactInboxCommand.self, ContactRecallCommand.self,
            ContactRenameCommand.self, ContactMergeCommand.self, Remove.self,
        ]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List an app's contacts, newest first.")

        @OptionGroup var admin: AdminOptions
        @OptionGroup var list: ListOptions
        @Argument(help: "The app's code.")
        var app: String
        @Flag(help: "Only orphans: contacts with no device, event or push.")
        var orphaned = false
        @Option(help: "Only contacts whose key begins with this text, in the order of their keys.")
        var prefix: String?
        @Option(help: "Only contacts whose party identifier has this number.")
        var partyNumber: String?
        @Option(help: "With --party-number: and this type.")
        var partyType: String?
        @Option(help: "With --party-number: and this name.")
        var partyName: String?

        func validate() throws {
            guard prefix == nil || (!orphaned && partyNumber == nil) else {
                throw ValidationError("Use --prefix without --orphaned and --party-number.")
            }
            guard partyNumber == nil, partyType != nil || partyName != nil else { return }
            throw ValidationError("Give --party-number, too.")
        }

        private var filter: String {
            let parts = [
                ("prefix", prefix), ("partyNumber", partyNumber), ("partyType", partyType), ("partyName", partyName),
            ]
            return
                (["orphaned=\(orphaned)"]
                + parts.compactMap { name, value in
                    value.map { "\(name)=\($0.pathSegment)" }
                }).joined(separator: "&")
        }

        func run() async throws {
            let found: ContactListResponse = try await admin.withClient { client in
                try await list.collect(\.contacts, \.cursor, pagesOf: ContactRoutes.page) { query in
                    try await client.call(
                        ContactRoutes.listContacts, app, query: "\(filter)&\(query)"
                    )
                }
            }
            try admin.show(found) { answer in
                var table = TextTable("KEY", "KNOWN", "CREATED", "LAST OPENED")
                for entry in answer.contacts {
                    table.add(entry.contactKey, entry.known.yesOrNo, entry.createdAt, entry.lastOpenedAt ?? "")
                }
                return list.text(table, cursor: answer.cursor)
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a contact with its party identifier, attributes, tags and devices."
        )

        @OptionGroup var target: ContactTarget

        func run() async throws {
            let answer: ContactResponse = try await target.admin.withClient { client in
                try await client.call(ContactRoutes.readContact, target.app, target.key)
            }
            try target.admin.show(answer) { $0.text }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove an orphan.",
            discussion: """
                An orphan has no device, no event and no push. Other contacts are not removed. To remove a person with \
                all their data, use 'belfry erase'.
                """
        )

        @OptionGroup var target: ContactTarget

        func run() async throws {
            try await target.admin.withClient { client in
                try await client.call(ContactRoutes.deleteContact, target.app, target.key)
            }
            try target.admin.show(RemovedContact(contactKey: target.key)) {
                "The contact '\($0.contactKey.printable)' was removed."
            }
        }
    }
}

/// The JSON output, because the API's response has no body.
private struct RemovedContact: Encodable {
    let contactKey: String
}

extension ContactResponse {
    fileprivate var text: String {
        let allTags = tags.isEmpty ? nil : tags.joined(separator: ", ")
        let party = partyIdentifier.map { "type=\($0.type), name=\($0.name), number=\($0.number)" }
        let properties = TextTable.properties([
            (name: "key", value: contactKey),
            (name: "former keys", value: aliases?.joined(separator: ", ")),
            (name: "known", value: known.yesOrNo),
            (name: "party identifier", value: party),
            (name: "tags", value: allTags),
            (name: "last opened", value: lastOpenedAt),
            (name: "created", value: createdAt),
        ])
        var tables = [properties]
        if !attributes.isEmpty {
            var table = TextTable("ATTRIBUTE", "VALUE")
            for attribute in attributes.sorted(by: { $0.key < $1.key }) {
                table.add(attribute.key, attribute.value.text)
            }
            tables.append(table)
        }
        if !devices.isEmpty {
            var table = TextTable("DEVICE")
            for device in devices { table.add(device) }
            if deviceCount > devices.count { table.add("and \(deviceCount - devices.count) older ones") }
            tables.append(table)
        }
        return tables.map(\.text).joined(separator: "\n\n")
    }
}
