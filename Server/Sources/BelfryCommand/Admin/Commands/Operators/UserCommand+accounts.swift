import ArgumentParser
import BelfryAPI
import BelfryServices

/// The accounts of people who sign in, and their sessions (CON-3, CON-10).
extension UserCommand {
    struct Change: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Change a person's account. What you leave out does not change.",
            discussion: "All sessions of a person end when they become an operator, stop being one, or are locked."
        )

        @OptionGroup var admin: AdminOptions
        @Argument(help: "The person's name.")
        var name: String
        @Option(help: "The name that pages show.")
        var displayName: String?
        @Option(name: .customLong("operator"), help: "Whether they see and change the whole server: true or false.")
        var isOperator: Bool?
        @Option(name: .customLong("locked"), help: "Whether they cannot sign in: true or false.")
        var isLocked: Bool?

        func validate() throws {
            guard displayName != nil || isOperator != nil || isLocked != nil else {
                throw ValidationError("Say what to change: --display-name, --operator or --locked.")
            }
        }

        func run() async throws {
            let request = ChangeUserRequest(displayName: displayName, isOperator: isOperator, isDisabled: isLocked)
            let answer: UserResponse = try await admin.withClient { client in
                try await client.call(UserRoutes.changeUser, name, body: request)
            }
            try admin.show(answer) { user in
                let part = user.isOperator ? "an operator of the server" : "not an operator of the server"
                return "\(user.name.printable) is \(part) and \(user.isDisabled ? "cannot" : "can") sign in."
            }
        }
    }

    struct Sessions: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the sessions of a person.")

        @OptionGroup var admin: AdminOptions
        @Argument(help: "The person's name.")
        var name: String

        func run() async throws {
            let answer: UserSessionListResponse = try await admin.withClient { client in
                try await client.call(UserRoutes.listSessions, name)
            }
            try admin.show(answer) { answer in
                var table = TextTable("ID", "BROWSER", "SINCE", "SEEN", "ENDS")
                for session in answer.sessions {
                    table.add(
                        session.id, session.agent.printable, session.createdAt, session.seenAt, session.expiresAt)
                }
                return table.text
            }
        }
    }

    struct EndSession: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "End a session of a person, or all of them.",
            discussion:
                "Their password stays, and they may sign in again; 'belfry user change --locked true' prevents that."
        )

        @OptionGroup var admin: AdminOptions
        @Argument(help: "The person's name.")
        var name: String
        @Argument(help: "The session's id, as 'belfry user sessions' prints it.")
        var session: String?
        @Flag(help: "End all of the person's sessions.")
        var all = false

        func validate() throws {
            guard all == (session == nil) else { throw ValidationError("Name one session, or say --all.") }
        }

        func run() async throws {
            try await admin.withClient { client in
                if let session {
                    try await client.call(UserRoutes.endSession, name, session)
                } else {
                    try await client.call(UserRoutes.endSessions, name)
                }
            }
            try admin.show(EndedSessions(id: session, user: name)) { ended in
                ended.id.map { "The session \($0.printable) has ended." }
                    ?? "All sessions of \(ended.user.printable) have ended."
            }
        }
    }
}

/// The JSON output, because the API's response has no body.
private struct EndedSessions: Encodable {
    /// The ended session's id; nil when all sessions were ended.
    let id: String?
    let user: String
}
