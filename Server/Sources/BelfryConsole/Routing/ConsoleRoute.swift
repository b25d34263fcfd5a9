import BelfryServices
import Hummingbird

/// An address of the console: who may call it, and what it does.
struct ConsoleRoute: Sendable {
    /// Whom it serves.
    enum Access: Hashable, Sendable {
        /// Everybody; the sign-in itself.
        case anyone
        /// Whoever is signed in.
        case signedIn
        /// Whoever has this right in the app of the address (`{app}`).
        case app(UserRight)
        /// Operators of the server.
        case operators
    }

    let method: HTTPRequest.Method
    /// Behind `/console`, with parts in braces.
    let path: String
    let access: Access
    /// What the audit log calls a change; nil for what only reads.
    let audit: String?
    let work: @Sendable (ConsoleCall) async throws -> ConsoleResponse
    /// Whether a form that is not taken is kept for its person.
    var keepsForm = false
    /// Whether its response goes on until the browser is gone.
    var isLive = false

    static func get(
        _ path: String, _ access: Access, _ work: @escaping @Sendable (ConsoleCall) async throws -> ConsoleResponse
    ) -> ConsoleRoute {
        ConsoleRoute(method: .get, path: path, access: access, audit: nil, work: work)
    }

    /// The parts of a page as they change.
    static func live(
        _ path: String, _ access: Access, _ work: @escaping @Sendable (ConsoleCall) async throws -> ConsoleResponse
    ) -> ConsoleRoute {
        var route = get(path, access, work)
        route.isLive = true
        return route
    }

    /// The same for a form in which people write much, and nothing secret: when its session has ended or
    /// its work fails, the page that says so keeps it.
    var keepingForm: ConsoleRoute {
        var route = self
        route.keepsForm = true
        return route
    }

    /// - Parameter audit: what the audit log calls it; nil for a post that changes nothing, such as a preview.
    static func post(
        _ path: String, _ access: Access, audit: String?,
        _ work: @escaping @Sendable (ConsoleCall) async throws -> ConsoleResponse
    ) -> ConsoleRoute {
        ConsoleRoute(method: .post, path: path, access: access, audit: audit, work: work)
    }
}

/// One call of the console.
struct ConsoleCall: Sendable {
    let services: APIServices
    let settings: ConsoleSettings
    /// Nil only where anyone may call.
    let user: SignedInUser?
    /// The app of the address; nil where it names none.
    let app: AppService.App?
    /// The parts of the address that stand in braces, decoded.
    let parts: [String: String]
    let query: FormFields
    /// Empty for what is no form.
    let form: FormFields
    /// For a repeated call and for links back: path and query as they came.
    let address: String
    /// By which name, and perhaps port, the browser has called the server; nil: it has named none.
    let host: String?
    /// Whose attempts to sign in are counted; nil when they are not.
    let network: IPAddress?
    let agent: String
    /// Whether only a part of the page is wanted: scripts ask for it.
    let wantsFragment: Bool
    /// The cookie of the session, for its end and its change.
    let sessionToken: String?
    /// The cookie of a sign-in by a provider that is under way.
    let attempt: String?

    /// The person, where somebody is signed in.
    func signedIn() throws(ServiceError) -> SignedInUser {
        guard let user else { throw .unauthorized(code: "unauthorized", message: "Sign in first.") }
        return user
    }

    /// The app, where the address names one.
    func inApp() throws(ServiceError) -> AppService.App {
        guard let app else { throw .notFound(what: "app", id: "") }
        return app
    }

    /// What the person may do in the app.
    func rights() throws(ServiceError) -> Set<UserRight> {
        let role = try signedIn().role(in: try inApp())
        return Set(UserRight.allCases.filter { role?.allows($0) ?? false })
    }

    func part(_ name: String) throws(ServiceError) -> String {
        guard let part = parts[name] else { throw .notFound(what: "page", id: String(address.prefix(200))) }
        return part
    }

    /// An address of the console for links, with the app of this call.
    func link(_ path: String) -> String {
        guard let app else { return "/console\(path)" }
        return "/console/apps/\(app.code.rawValue)\(path)"
    }

    /// As the audit log and the limits know the caller.
    func principal() throws(ServiceError) -> AdminPrincipal {
        try signedIn().principal(in: app)
    }

    /// Does a change of which the audit log knows by the transaction that makes it.
    func telling<Output>(
        _ action: String, to target: String?, _ work: () async throws -> Output
    ) async throws -> Output {
        try await telling(action, to: target, work) { _ in target }
    }

    /// The same of what makes something, whose name is known when it is made.
    ///
    /// - Parameter name: of what was made.
    func telling<Output>(
        _ action: String, to target: String? = nil, _ work: () async throws -> Output, naming name: (Output) -> String?
    ) async throws -> Output {
        let app = app?.code
        return try await services.access.telling(action, by: principal(), app: app, target: target, work) { output in
            .done(app: app, target: name(output))
        }
    }

    /// Writes into the audit log what a person has done that changes nothing in the store, or was announced.
    func note(_ action: String, to target: String? = nil) async throws {
        try await services.access.audit(principal(), action: action, app: app?.code, target: target)
    }
}

/// What a call of the console ends with.
enum ConsoleResponse: Sendable {
    case page(Page)
    /// A page for a form that was refused, or something like it: the same with another status.
    case pageWithStatus(Page, HTTPResponse.Status)
    /// A part of a page, which a script puts in its place.
    case fragment(template: String, model: any Sendable)
    /// The browser gets another page (303), with a sentence that the next page shows once.
    case redirect(String, notice: Notice? = nil)
    /// A file to save.
    case file(name: String, contentType: String, body: [UInt8])
    /// The same, written piece by piece: it may be longer than what fits into memory.
    case download(name: String, contentType: String, ResponseBody)
    /// JSON for scripts of the console.
    case json([UInt8])
    /// Parts of the page as they change (server-sent events), one by one; nil when there is nothing more to tell.
    case live(@Sendable () async -> LiveFragment?)
    /// A document of its own for a sandboxed frame: in-app and rich messages as they are shown (SEC-4).
    case sandboxed(html: String, policy: String)
    /// Signs in: sets the cookie and goes on.
    case signedIn(SignInService.SignedIn, next: String)
    case signedOut
    /// Goes to the provider by which people sign in, and keeps what its answer is compared with.
    case departing(ProviderSignIn.Departure)
    /// What a sign-in by a provider ended with: the attempt is over, whatever came of it.
    indirect case returned(ConsoleResponse)
    /// Sets the colour scheme and goes on.
    case scheme(ColorScheme, next: String)

    /// Whether what was asked for is done; a form that was refused has changed nothing.
    var isDone: Bool {
        switch self {
        case .pageWithStatus: false
        case .returned(let inner): inner.isDone
        default: true
        }
    }
}

/// A sentence about what was just done.
struct Notice: Hashable, Sendable {
    enum Kind: String, Sendable {
        case done
        case warning
    }

    let kind: Kind
    let text: String

    static func done(_ text: String) -> Notice { Notice(kind: .done, text: text) }
    static func warning(_ text: String) -> Notice { Notice(kind: .warning, text: text) }
}

/// A part of a page that may have changed: the template is rendered with the model and renews the part of this name.
struct LiveFragment: Sendable {
    let target: String
    let template: String
    let model: any Sendable
}

extension ConsoleCall {
    /// The idempotency key of the forms of a page that is shown now (CON-5).
    var newFormKey: String { services.randomBytes(16).hexText }

    /// That of the form that was sent; nil for a form without one.
    ///
    /// - Parameters:
    ///   - action: what the audit log calls what the form makes, where the service that makes it writes it there.
    ///   - target: what it is done to; nil: what the form makes.
    func formKey(audit action: String? = nil, to target: String? = nil) throws -> FormKey? {
        guard form.contains("key") else { return nil }
        let line = try action.map { FormKey.Line($0, app: try inApp().code, to: target) }
        guard let key = FormKey(form["key"], of: try principal(), audit: line) else {
            throw ConsoleError.unreadableForm
        }
        return key
    }
}
