import BelfryModel
import BelfryServices

/// Signing in and out (CON-3).
enum SignInPages {
    static let routes: [ConsoleRoute] = [
        .get("/sign-in", .anyone) { call in .page(page(SignInModel(next: safe(call.query["next"])))) },
        .post("/sign-in", .anyone, audit: nil, signIn),
        .get("/welcome", .anyone) { call in
            .page(Page("Welcome", template: "welcome", model: WelcomeModel(code: call.query["code"])))
        },
        .post("/welcome", .anyone, audit: nil) { call in
            guard let user = call.settings.invitation?.accept(call.form["code"]) else {
                throw ServiceError.gone(
                    code: "invitationUsed",
                    message: "This address signs in once, within an hour of its start. Start the demonstration again."
                )
            }
            return .signedIn(try await call.services.signIn.begin(for: user, agent: call.agent), next: "/console")
        },
        .post("/sign-out", .signedIn, audit: nil) { call in
            try await call.services.signIn.signOut(call.signedIn())
            return .signedOut
        },
    ]

    /// Where somebody signs in and comes back.
    static func address(returningTo next: String) -> String {
        "/console/sign-in?next=\(WireURL.encoded(next))"
    }

    private static func signIn(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let next = safe(call.form["next"])
        do {
            let signedIn = try await call.services.signIn.signIn(
                name: call.form["name"], password: call.form["password"], from: call.network, agent: call.agent
            )
            if let former = call.user { try await call.services.signIn.signOut(former) }
            return .signedIn(signedIn, next: next)
        } catch let error as ServiceError {
            let problem = ErrorPage(error)
            return .pageWithStatus(
                page(SignInModel(next: next, name: call.form["name"], problem: problem.sentence)), problem.status
            )
        }
    }

    /// Only addresses of the console itself are gone to, so that no link leads elsewhere through it.
    static func safe(_ next: String) -> String {
        let bytes = next.utf8
        guard bytes.starts(with: "/console".utf8), bytes.count < 2_048,
            bytes.dropFirst(8).first.map({ $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }) ?? true,
            bytes.allSatisfy({ $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "\\") }),
            !bytes.starts(with: "/console/sign-".utf8)
        else { return "/console" }
        return next
    }

    private static func page(_ model: SignInModel) -> Page {
        Page("Sign in", template: "sign-in", model: model)
    }
}

struct SignInModel: Sendable {
    let next: String
    var name = ""
    var problem: String?
}

struct WelcomeModel: Sendable {
    let code: String
}
