import ArgumentParser
import BelfryWire
import Foundation

struct EraseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Remove a person: the contact, its devices and all that they sent.",
        discussion: """
            It cannot be undone. Counts of campaigns stay as they are, without the person; the devices are turned away \
            from then on.
            """
    )

    @OptionGroup var target: ContactTarget
    @Flag(help: "Do not ask first.")
    var yes = false

    func validate() throws {
        guard yes || isatty(STDIN_FILENO) == 1 else {
            throw ValidationError("An erasure cannot be undone, and nobody can be asked here: say --yes.")
        }
    }

    func run() async throws {
        let answer = try await target.admin.withClient { client -> ContactErasureAnswer in
            if !yes {
                let contact: ContactAnswer = try await client.get(target.path)
                guard isConfirmed(contact) else { throw NothingErased() }
            }
            return try await client.send(.post, "\(target.path)/erase", String?.none)
        }
        try target.admin.show(answer) { answer in
            let devices = Quantity.text(answer.devices, "device")
            let events = Quantity.text(answer.events, "event")
            return "The contact '\(answer.contactKey.printable)' is erased; gone with it: \(devices), \(events)."
        }
    }

    /// Asks on standard error, so that standard output holds the answer alone.
    private func isConfirmed(_ contact: ContactAnswer) -> Bool {
        let question = """
            This erases the contact '\(contact.contactKey.printable)' of the app '\(target.app.printable)' for good, \
            with \(Quantity.text(contact.deviceCount, "device")) and all events of theirs.
            Type 'yes' to go on:
            """
        FileHandle.standardError.write(Data("\(question) ".utf8))
        return readLine()?.trimmingCharacters(in: .whitespaces).lowercased() == "yes"
    }
}

struct NothingErased: Error, CustomStringConvertible {
    var description: String { "Nothing was erased." }
}
