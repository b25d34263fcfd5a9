import ArgumentParser
import BelfryWire

struct ContactCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "contact",
        abstract: "Look at the people of an app, and remove contacts that nothing is left of.",
        subcommands: [List.self, Show.self, Remove.self]
    )

    struct List: AsyncParsableCommand {
        /// The most that the server gives at once.
        private static let pageSize = 1_000

        static let configuration = CommandConfiguration(abstract: "List an app's contacts, newest first.")

        @OptionGroup var admin: AdminOptions
        @OptionGroup var list: ListOptions
        @Argument(help: "The app's code.")
        var app: String
        @Flag(help: "Only those that devices have left and that have no event and no push.")
        var orphaned = false

        func run() async throws {
            let address = "/api/v1/apps/\(app.pathSegment)/contacts?orphaned=\(orphaned)"
            let found = try await admin.withClient { client in
                try await list.collect(pagesOf: Self.pageSize) { query -> ListPage<ContactListAnswer.Entry> in
                    let page: ContactListAnswer = try await client.get("\(address)&\(query)")
                    return ListPage(entries: page.contacts, cursor: page.cursor)
                }
            }
            try admin.show(ContactListAnswer(contacts: found.entries, cursor: found.cursor)) { answer in
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
            abstract: "Show a contact, with its party identifier, attributes, tags and devices."
        )

        @OptionGroup var target: ContactTarget

        func run() async throws {
            let answer: ContactAnswer = try await target.admin.withClient { client in
                try await client.get(target.path)
            }
            try target.admin.show(answer) { $0.text }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove an orphan.",
            discussion: """
                An orphan has no device, no event and no push. Any other contact is refused; 'belfry erase' removes a \
                person with all that they left.
                """
        )

        @OptionGroup var target: ContactTarget

        func run() async throws {
            try await target.admin.withClient { client in try await client.delete(target.path) }
            try target.admin.show(RemovedContact(contactKey: target.key)) {
                "The contact '\($0.contactKey.printable)' is removed."
            }
        }
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

    var path: String { "/api/v1/apps/\(app.pathSegment)/contacts/\(key.pathSegment)" }
}

/// For programs: the API has nothing to say here.
private struct RemovedContact: Encodable {
    let contactKey: String
}

extension ContactAnswer {
    fileprivate var text: String {
        let allTags = tags.isEmpty ? nil : tags.joined(separator: ", ")
        let party = partyIdentifier.map { "type=\($0.type), name=\($0.name), number=\($0.number)" }
        let properties = TextTable.properties([
            (name: "key", value: contactKey),
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
