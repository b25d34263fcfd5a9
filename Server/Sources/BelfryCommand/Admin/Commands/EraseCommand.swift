import ArgumentParser
import BelfryAPI
import BelfryServerModel
import Foundation

struct EraseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Erase a person: the contact, its devices and everything they sent.",
        discussion: """
            This cannot be undone. Campaign figures do not change, but no longer name the person. The devices are \
            rejected from then on.
            """
    )

    @OptionGroup var target: ContactTarget
    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    func validate() throws {
        guard yes || isatty(STDIN_FILENO) == 1 else {
            throw ValidationError("An erasure cannot be undone. There is no terminal to confirm it; use --yes.")
        }
    }

    func run() async throws {
        let response = try await target.admin.withClient { client -> ContactErasureResponse in
            if !yes {
                let contact: ContactResponse = try await client.call(ContactRoutes.readContact, target.app, target.key)
                guard isConfirmed(contact) else { throw NothingErased() }
            }
            return try await client.call(ErasureRoutes.eraseContact, target.app, target.key)
        }
        try target.admin.show(response) { response in
            let devices = Quantity.text(response.devices, "device")
            let events = Quantity.text(response.events, "event")
            return "The contact '\(response.contactKey.printable)' was erased, with \(devices) and \(events). "
                + "Receipt: \(response.receipt)"
        }
    }

    /// Asks on standard error, so that standard output contains only the command's output.
    private func isConfirmed(_ contact: ContactResponse) -> Bool {
        let question = """
            This permanently erases the contact '\(contact.contactKey.printable)' of the app \
            '\(target.app.printable)', with \(Quantity.text(contact.deviceCount, "device")) and all their events.
            Type 'yes' to continue:
            """
        FileHandle.standardError.write(Data("\(question) ".utf8))
        return readLine()?.trimmingCharacters(in: .whitespaces).lowercased() == "yes"
    }
}

struct NothingErased: Error, CustomStringConvertible {
    var description: String { "Nothing was erased." }
}
