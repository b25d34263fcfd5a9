import ArgumentParser
import BelfryAPI
import BelfryModel
import Foundation

/// The schema of the app's attributes (REG-25).
extension AppCommand {
    struct Attribute: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Define an attribute of the app's contacts.")

        @OptionGroup var admin: AdminOptions
        @Argument var app: String
        @Argument(help: "The attribute's key.")
        var key: String
        @Argument(help: "string, number, boolean or date.")
        var type: AttributeType

        func run() async throws {
            let answer: AttributeDefinition = try await admin.withClient { client in
                try await client.call(
                    AttributeRoutes.defineAttribute, app, key, body: DefineAttributeRequest(type: type))
            }
            try admin.show(answer) { "Defined '\($0.key)' as \($0.type.rawValue)." }
        }
    }

    struct DefineAttributes: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Define several attributes of the app's contacts: all of them or none."
        )

        @OptionGroup var admin: AdminOptions
        @Argument(help: "The app's code.")
        var app: String
        @Argument(help: "Keys with their types: city=string age=number.")
        var definitions: [Definition] = []
        @Option(
            help: "A JSON file with attributes, as 'belfry app attributes --json' prints it. '-' is standard input.",
            completion: .file()
        )
        var file: String?

        func validate() throws {
            guard definitions.isEmpty == (file != nil) else {
                throw ValidationError("Give attributes such as city=string, or --file with a list of them.")
            }
        }

        func run() async throws {
            let body = try body()
            let answer: AttributeListResponse = try await admin.withClient { client in
                try await client.call(AttributeRoutes.defineAttributes, app, json: body)
            }
            try admin.show(answer) { Attributes.table(of: $0) }
        }

        private func body() throws -> Data {
            if let file { return try InputFile(file, option: "--file").json() }
            let attributes = definitions.map { AttributeDefinition(key: $0.key, type: $0.type) }
            return try JSONEncoder().encode(DefineAttributesRequest(attributes: attributes))
        }

        /// An attribute definition such as `city=string`. The key may contain an equals sign, the type cannot.
        struct Definition: ExpressibleByArgument, Hashable, Sendable {
            let key: String
            let type: AttributeType

            init?(argument: String) {
                guard let sign = argument.utf8.lastIndex(of: UInt8(ascii: "=")),
                    let type = AttributeType(rawValue: String(argument[argument.utf8.index(after: sign)...]))
                else { return nil }
                key = String(argument[..<sign])
                self.type = type
            }
        }
    }

    struct RemoveAttribute: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove an attribute and its values from the app's contacts."
        )

        @OptionGroup var admin: AdminOptions
        @Argument(help: "The app's code.")
        var app: String
        @Argument(help: "The attribute's key.")
        var key: String

        func validate() throws {
            // Without a key the path would be that of the list.
            guard !key.isEmpty else { throw ValidationError("The attribute's key is empty.") }
        }

        func run() async throws {
            try await admin.withClient { client in
                try await client.call(AttributeRoutes.removeAttribute, app, key)
            }
            if !admin.json { print("The attribute '\(key.printable)' was removed.") }
        }
    }

    struct Attributes: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the attributes defined for the app's contacts, by name."
        )

        @OptionGroup var admin: AdminOptions
        @Argument(help: "The app's code.")
        var app: String

        func run() async throws {
            let answer: AttributeListResponse = try await admin.withClient { client in
                try await client.call(AttributeRoutes.listAttributes, app)
            }
            try admin.show(answer) { Self.table(of: $0) }
        }

        static func table(of answer: AttributeListResponse) -> String {
            var table = TextTable("KEY", "TYPE")
            for attribute in answer.attributes { table.add(attribute.key, attribute.type.rawValue) }
            return table.text
        }
    }
}

extension AttributeType: @retroactive ExpressibleByArgument {}
