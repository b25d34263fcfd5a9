import ArgumentParser
import BelfryAPI

/// Gives a contact another key (ADM-5).
struct ContactRenameCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename",
        abstract: "Give a contact another key. The former key keeps leading to it."
    )

    @OptionGroup var target: ContactTarget
    @Option(help: "The new key.")
    var to: String

    func run() async throws {
        let answer: ContactKeyResponse = try await target.admin.withClient { client in
            try await client.call(
                ContactKeyRoutes.renameContact, target.app, target.key, body: RenameContactRequest(to: to)
            )
        }
        try target.admin.show(answer) {
            "The contact '\(target.key.printable)' is '\($0.contactKey.printable)' now. Its former key leads to it."
        }
    }
}

/// Merges a contact into another one (ADM-5).
struct ContactMergeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Merge a contact into another one, which remains.",
        discussion: """
            Devices, attributes (the newer value wins), tags, messages, events and the ledger become the other \
            contact's. This cannot be undone.
            """
    )

    @OptionGroup var target: ContactTarget
    @Option(help: "The key of the contact that remains.")
    var into: String

    func run() async throws {
        let answer: ContactKeyResponse = try await target.admin.withClient { client in
            try await client.call(
                ContactKeyRoutes.mergeContact, target.app, target.key, body: MergeContactRequest(into: into)
            )
        }
        try target.admin.show(answer) { answer in
            let devices = Quantity.text(answer.devices ?? 0, "device")
            return "The contact '\(target.key.printable)' is a part of '\(answer.contactKey.printable)' now, "
                + "which got \(devices)."
        }
    }
}
