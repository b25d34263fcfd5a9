import ArgumentParser
import BelfryModel
import BelfryWire

extension AppCommand {
    /// The message centres of an app (MC-2).
    struct MessageCenters: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "message-center", abstract: "List an app's message centers, make, change and delete them.",
            subcommands: [List.self, Put.self, Delete.self]
        )

        struct List: AsyncParsableCommand {
            static let configuration = CommandConfiguration(abstract: "List an app's message centers.")

            @OptionGroup var admin: AdminOptions
            @Argument(help: "The app's code.")
            var app: String

            func run() async throws {
                let answer: MessageCenterListAnswer = try await admin.withClient { client in
                    try await client.get("/api/v1/apps/\(app.pathSegment)/message-centers")
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
                commandName: "set", abstract: "Make a message center, or change it: what is not named stays."
            )

            @OptionGroup var target: Target
            @Option(help: "What people see in the place of its name; an empty one takes it away.")
            var label: String?
            @Option(help: "Whether it shows what it has: true or false. (default for a new one: true)")
            var enabled: Bool?

            func run() async throws {
                let change = MessageCenterChange(label: label, enabled: enabled)
                let answer: MessageCenterDefinition = try await target.admin.withClient { client in
                    try await client.send(.put, target.path, change)
                }
                try target.admin.show(answer) { center in
                    let label = center.label.map { ", labelled '\($0.printable)'" } ?? ""
                    return "The message center '\(center.name)' is \(center.enabled ? "enabled" : "disabled")\(label)."
                }
            }
        }

        struct Delete: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Delete a message center: its messages are hidden until one of its name is made again."
            )

            @OptionGroup var target: Target

            func run() async throws {
                try await target.admin.withClient { client in try await client.delete(target.path) }
                if !target.admin.json { print("The app has no message center '\(target.name.printable)' any more.") }
            }
        }

        /// One message centre of one app.
        struct Target: ParsableArguments {
            @OptionGroup var admin: AdminOptions
            @Argument(help: "The app's code.")
            var app: String
            @Argument(help: "The message center's name.")
            var name: String

            func validate() throws {
                // Without a name the address would be the list's.
                guard !name.isEmpty else { throw ValidationError("The message center's name is empty.") }
            }

            var path: String { "/api/v1/apps/\(app.pathSegment)/message-centers/\(name.pathSegment)" }
        }
    }
}
