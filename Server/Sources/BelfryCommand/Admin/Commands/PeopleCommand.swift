import ArgumentParser
import BelfryAPI
import BelfryServices

/// Finds people by any of their keys, ids or attributes (CON-9).
struct PeopleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "people", abstract: "Find people by key, party identifier, attribute, device id or push token.",
        discussion: """
            At most 200 entries of each way are shown at once. 'belfry explain' says why one of these people did or did \
            not get a campaign.
            """
    )

    @OptionGroup var admin: AdminOptions
    @OptionGroup var list: ListOptions
    @Argument(help: "The app's code.")
    var app: String
    @Argument(help: "What to look for. Keys are found by their beginning, everything else as a whole.")
    var text: String
    @Option(help: "Only in this way: key, field, attribute, party, device or token. --cursor needs it.")
    var by: String?
    @Option(help: "With '--by attribute' or '--by field': the name of the attribute or the contact field.")
    var name: String?

    func validate() throws {
        if let by, PeopleSearchKind(rawValue: by) == nil {
            let words = PeopleSearchKind.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--by is one of \(words).")
        }
        guard list.cursor == nil || by != nil else { throw ValidationError("Use --cursor with --by.") }
    }

    func run() async throws {
        var query = ["text=\(text.pathSegment)", "limit=\(min(list.limit, PeopleRoutes.page.maximum))"]
        query += [("by", by), ("name", name), ("cursor", list.cursor)].compactMap { key, value in
            value.map { "\(key)=\($0.pathSegment)" }
        }
        let words = query.joined(separator: "&")
        let answer: PeopleSearchResponse = try await admin.withClient { client in
            try await client.call(PeopleRoutes.searchPeople, app, query: words)
        }
        try admin.show(answer, Self.text)
    }

    static func text(_ answer: PeopleSearchResponse) -> String {
        guard answer.found.contains(where: { !$0.people.isEmpty || !$0.devices.isEmpty }) else {
            return "Nobody was found."
        }
        return answer.found.map(text).joined(separator: "\n\n")
    }

    private static func text(_ finding: PeopleSearchResponse.Finding) -> String {
        var parts = ["\(finding.sentence.printable):"]
        if !finding.people.isEmpty {
            var table = TextTable("KEY", "KNOWN", "FORMER KEY", "CREATED", "LAST OPENED")
            for person in finding.people {
                table.add(
                    person.contactKey, person.known.yesOrNo, person.formerKey ?? "", person.createdAt,
                    person.lastOpenedAt ?? ""
                )
            }
            parts.append(table.text)
        }
        if !finding.devices.isEmpty {
            var table = TextTable("DEVICE", "INSTALLATION", "CONTACT", "PLATFORM", "LAST OPENED", "CREATED")
            for device in finding.devices {
                table.add(
                    device.deviceId, device.installation, device.contactKey ?? "", device.platform ?? "",
                    device.lastOpenedAt ?? "", device.createdAt
                )
            }
            parts.append(table.text)
        }
        if let cursor = finding.cursor {
            parts.append("There are more: use '--by \(finding.by.rawValue) --cursor \(cursor)' for the next page.")
        }
        return parts.joined(separator: "\n")
    }
}
