import BelfryModel
import BelfryServices

/// Signing in and out (CON-3).
enum SignInPages {
    static let routes: [ConsoleRoute] = [
        .get("/sign-in", .anyone) { call in
            .page(page(SignInModel(next: safe(call.query["next"]), provider: call.services.providerSignIn?.provider)))
        },
        .post("/sign-in", .anyone, audit: nil, signIn),
        .get("/sign-in/provider", .anyone, depart),
        .get("/sign-in/provider/return", .anyone, arrive),
        .get("/welcome", .anyone) { call in
            _ = try invitation(call)
            return .page(Page("Welcome", template: "welcome", model: WelcomeModel(code: call.query["code"])))
        },
        .post("/welcome", .anyone, audit: nil) { call in
            guard let user = try invitation(call).accept(call.form["code"]) else {
                throw ServiceError.gone(
                    code: "invitationUsed",
                    message: "This address signs in once, within an hour of its start. Start the demonstration again."
                )
            }
            return .signedIn(try await call.services.signIn.begin(for: user, agent: call.agent), next: "/console")
        },
        .get("/signed-in", .signedIn) { _ in
            .page(Page("Signed in", template: "signed-in", model: SignedInModel()))
        },
        .post("/sign-out", .signedIn, audit: nil) { call in
            try await call.services.signIn.signOut(call.signedIn())
            return .signedOut
        },
    ]

    /// The address of the sign-in page, which afterwards returns to `next`.
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
                page(
                    SignInModel(
                        next: next, provider: call.services.providerSignIn?.provider, name: call.form["name"],
                        problem: problem.sentence
                    )
                ),
                problem.status
            )
        }
    }

    /// Redirects to the identity provider. The page has a link for it, not a form: its content security policy lets no
    /// form end on another site.
    private static func depart(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let provider = try signInProvider(call)
        let next = safe(call.query["next"])
        do {
            return .departing(try await provider.begin(next: next, from: call.network))
        } catch let error as ServiceError {
            return failed(error, next: next, provider)
        }
    }

    /// Handles the return from the identity provider with its response.
    private static func arrive(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let provider = try signInProvider(call)
        let response = ProviderSignIn.AuthorizationResponse(
            state: call.query["state"], code: call.query["code"], error: call.query["error"],
            issuer: call.query["iss"]
        )
        do {
            let arrival = try await provider.finish(
                response, attempt: call.attempt, from: call.network, agent: call.agent
            )
            if let former = call.user { try await call.services.signIn.signOut(former) }
            return .returned(.signedIn(arrival.signedIn, next: safe(arrival.next)))
        } catch let error as ServiceError {
            return .returned(failed(error, next: "/console", provider))
        }
    }

    private static func failed(_ error: ServiceError, next: String, _ provider: ProviderSignIn) -> ConsoleResponse {
        let problem = ErrorPage(error)
        let model = SignInModel(next: next, provider: provider.provider, problem: problem.sentence)
        return .pageWithStatus(page(model), problem.status)
    }

    /// The demonstration's invitation; on any other server this page is not found.
    private static func invitation(_ call: ConsoleCall) throws(ServiceError) -> SignInInvitation {
        guard let invitation = call.settings.invitation, invitation.isMade else {
            throw .notFound(what: "page", id: String(call.address.prefix(200)))
        }
        return invitation
    }

    private static func signInProvider(_ call: ConsoleCall) throws(ServiceError) -> ProviderSignIn {
        guard let provider = call.services.providerSignIn else {
            throw .notFound(what: "page", id: String(call.address.prefix(200)))
        }
        return provider
    }

    /// The address if it belongs to the console, or else the console's first page. Otherwise a link could lead to
    /// another site through the sign-in.
    static func safe(_ next: String) -> String {
        let bytes = next.utf8
        guard bytes.starts(with: "/console".utf8), bytes.count < 2_048,
            bytes.dropFirst(8).first.map({ $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }) ?? true,
            bytes.allSatisfy({ $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "\\") }),
            !bytes.starts(with: "/console/sign-".utf8), staysBelow(next)
        else { return "/console" }
        return next
    }

    /// Whether no part of the path leads up. Browsers read `%2e` as a dot, and some read `%5c` as a slash (URL Standard
    /// §4.4).
    private static func staysBelow(_ address: String) -> Bool {
        var rest = Array(address.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })[...]
        var path: [UInt8] = []
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%"), let high = rest.first, high.isHexDigit,
                let low = rest.dropFirst().first, low.isHexDigit
            else {
                path.append(byte)
                continue
            }
            rest = rest.dropFirst(2)
            path.append(high.hexDigitValue << 4 | low.hexDigitValue)
        }
        let strokes: Set<UInt8> = [UInt8(ascii: "/"), UInt8(ascii: "\\")]
        return !path.split(whereSeparator: strokes.contains).contains { part in
            part.elementsEqual(".".utf8) || part.elementsEqual("..".utf8)
        }
    }

    private static func page(_ model: SignInModel) -> Page {
        Page("Sign in", template: "sign-in", model: model)
    }
}

struct SignInModel: Sendable {
    let next: String
    /// The text of the identity provider's button; nil without a provider.
    let providerTitle: String?
    let providerAddress: String?
    let name: String
    let problem: String?

    init(next: String, provider: SignInProvider?, name: String = "", problem: String? = nil) {
        self.next = next
        providerTitle = provider.map { "Sign in with \($0.name.isolated)" }
        providerAddress = provider.map { _ in "/console/sign-in/provider?next=\(WireURL.encoded(next))" }
        self.name = name
        self.problem = problem
    }
}

/// The page for a person who has signed in in a separate tab.
struct SignedInModel: Sendable {}

struct WelcomeModel: Sendable {
    let code: String
}
