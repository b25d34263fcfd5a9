import ArgumentParser
import BelfryAPI
import BelfryServices
import Foundation

/// The people who sign in to the console (CON-3).
struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user", abstract: "Create people who sign in to the console, and give them roles.",
        subcommands: [
            Create.self, List.self, Change.self, Password.self, Role.self, Sessions.self, EndSession.self, Delete.self,
        ]
    )

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a person who signs in to the console.",
            discussion: """
                The password is asked for at a terminal; otherwise it is the first line of the input. The first person \
                is an operator: belfry user create anna@example.com --operator
                """
        )

        @OptionGroup var admin: AdminOptions
        @Argument(help: "What the person signs in with: an e-mail address or a short name.")
        var name: String
        @Option(help: "The name that pages show. (default: the name)")
        var displayName: String?
        @Flag(name: .customLong("operator"), help: "See and change what concerns the whole server; admin in each app.")
        var isOperator = false
        @Option(name: .customLong("role"), help: "A role in an app: shop=marketer. May be repeated.")
        var roles: [AppRole] = []

        func run() async throws {
            let request = CreateUserRequest(
                name: name, displayName: displayName, password: try NewPassword.read(), isOperator: isOperator,
                roles: Dictionary(roles.map { ($0.app, $0.role) }) { _, last in last }
            )
            let answer: UserResponse = try await admin.withClient { client in
                try await client.call(UserRoutes.createUser, body: request)
            }
            try admin.show(answer) { user in
                "\(user.name.printable) can sign in at /console\(user.isOperator ? " as an operator" : "")."
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the people who sign in to the console.")

        @OptionGroup var admin: AdminOptions
        @OptionGroup var list: ListOptions
        @Option(help: "Only people with a role in the app with this code, with this role alone.")
        var app: String?

        func run() async throws {
            let found: UserListResponse = try await admin.withClient { client in
                try await list.collect(\.users, \.cursor, pagesOf: UserRoutes.page) { query in
                    if let app {
                        try await client.call(UserRoutes.listAppUsers, app, query: query)
                    } else {
                        try await client.call(UserRoutes.listUsers, query: query)
                    }
                }
            }
            try admin.show(found) { answer in
                var table = TextTable("NAME", "SHOWN AS", "OPERATOR", "LOCKED", "PASSWORD", "ROLES", "SINCE")
                for user in answer.users {
                    let roles = user.roles.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.rawValue)" }
                    table.add(
                        user.name.printable, user.displayName.printable, user.isOperator ? "yes" : "",
                        user.isDisabled ? "yes" : "",
                        user.hasPassword ? "set" : "none", roles.joined(separator: " "), user.createdAt
                    )
                }
                return list.text(table, cursor: answer.cursor)
            }
        }
    }

    struct Password: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set a person's password. All sessions of the person end."
        )

        @OptionGroup var admin: AdminOptions
        @Argument(help: "The person's name.")
        var name: String

        func run() async throws {
            let request = SetPasswordRequest(password: try NewPassword.read())
            try await admin.withClient { client in
                try await client.call(UserRoutes.setPassword, name, body: request)
            }
            try admin.show(ChangedUser(name: name)) { "The password of \($0.name.printable) was set." }
        }
    }

    struct Role: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give a person a role in an app, or take it away.",
            discussion: "It ends their sessions, unless it is their first role in the app or they are an operator."
        )

        @OptionGroup var admin: AdminOptions
        @Argument(help: "The app's code.")
        var app: String
        @Argument(help: "The person's name.")
        var name: String
        @Argument(help: "viewer, marketer, approver, admin or none.")
        var role: String

        func validate() throws {
            guard role == "none" || UserRole(rawValue: role) != nil else {
                throw ValidationError("The role must be viewer, marketer, approver, admin or none.")
            }
        }

        func run() async throws {
            try await admin.withClient { client in
                if let role = UserRole(rawValue: role) {
                    try await client.call(UserRoutes.setRole, app, name, body: SetUserRoleRequest(role: role))
                } else {
                    try await client.call(UserRoutes.removeRole, app, name)
                }
            }
            try admin.show(ChangedUser(name: name)) { "The role of \($0.name.printable) in \(app) is \(role)." }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete a person who signs in. All sessions of the person end."
        )

        @OptionGroup var admin: AdminOptions
        @Argument(help: "The person's name.")
        var name: String

        func run() async throws {
            try await admin.withClient { client in try await client.call(UserRoutes.deleteUser, name) }
            try admin.show(ChangedUser(name: name)) { "\($0.name.printable) was deleted." }
        }
    }
}

/// A role in an app, in the form `shop=marketer`.
struct AppRole: ExpressibleByArgument, Hashable {
    let app: String
    let role: UserRole

    init?(argument: String) {
        let parts = argument.utf8.split(separator: UInt8(ascii: "="), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        guard parts.count == 2, !parts[0].isEmpty, let role = UserRole(rawValue: parts[1]) else { return nil }
        app = parts[0]
        self.role = role
    }
}

/// Reads a new password: typed without echo, or the first line of the input.
enum NewPassword {
    static func read() throws -> String {
        guard isatty(STDIN_FILENO) != 0 else { return try checked(readLine()) }
        let first = try checked(typed("Password: "))
        guard typed("The same again: ") == first else { throw ValidationError("The two passwords differ.") }
        return first
    }

    private static func typed(_ prompt: String) -> String? {
        FileHandle.standardError.write(Data(prompt.utf8))
        var settings = termios()
        tcgetattr(STDIN_FILENO, &settings)
        let shown = settings
        settings.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
        defer {
            var shown = shown
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown)
            FileHandle.standardError.write(Data("\n".utf8))
        }
        return readLine()
    }

    private static func checked(_ text: String?) throws -> String {
        guard let text else { throw ValidationError("There is no password in the input.") }
        do {
            try PasswordRule.check(text)
        } catch {
            throw ValidationError(error.message)
        }
        return text
    }
}

/// The JSON output, because the API's response has no body.
private struct ChangedUser: Encodable {
    let name: String
}
