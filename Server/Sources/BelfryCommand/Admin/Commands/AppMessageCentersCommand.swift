import ArgumentParser
import BelfryAPI
import BelfryModel

/// The message centers of an app (MC-2).
struct AppMessageCentersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "message-center", abstract: "List, create, change and delete an app's message centers.",
        subcommands: [List.self, Put.self, Delete.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List an app's message centers.")

        @OptionGroup var admin: AdminOptions
        @Argument(help: "The app's code.")
        var app: String

        func run() async throws {
            let answer: MessageCenterListResponse = try await admin.withClient { client in
                try await client.call(MessageCenterRoutes.listMessageCenters, app)
            }
            try admin.show(answer) { answer in
                var table = TextTable("NAME", "ENABLED", "LABEL")
                for center in answer.messageCenters {
                    table.add(center.name, center.enabled.yesOrNo, center.label ?? "")
                }
                return table.text
            }
        }
    }

    struct Put: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Create or change a message center. What you leave out does not change."
        )

        @OptionGroup var target: Target
        @Option(help: "The label that users see instead of the name. An empty label removes it.")
        var label: String?
        @Option(help: "Whether it shows its messages: true or false. (default for a new one: true)")
        var enabled: Bool?

        func run() async throws {
            let change = MessageCenterChange(label: label, enabled: enabled)
            let answer: MessageCenterDefinition = try await target.admin.withClient { client in
                try await client.call(
                    MessageCenterRoutes.putMessageCenter, target.app, target.name, body: change
                )
            }
            try target.admin.show(answer) { center in
                let label = center.label.map { ", labelled '\($0.printable)'" } ?? ""
                return "The message center '\(center.name)' is \(center.enabled ? "enabled" : "disabled")\(label)."
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete a message center. Its messages are hidden until you create one with the same name."
        )

        @OptionGroup var target: Target

        func run() async throws {
            try await target.admin.withClient { client in
                try await client.call(MessageCenterRoutes.deleteMessageCenter, target.app, target.name)
            }
            if !target.admin.json { print("The message center '\(target.name.printable)' was deleted.") }
        }
    }

    /// The arguments that name one message center of one app.
    struct Target: ParsableArguments {
        @OptionGroup var admin: AdminOptions
        @Argument(help: "The app's code.")
        var app: String
        @Argument(help: "The message center's name.")
        var name: String

        func validate() throws {
            // Without a name the path would be that of the list.
            guard !name.isEmpty else { throw ValidationError("The message center's name is empty.") }
        }
    }
}
