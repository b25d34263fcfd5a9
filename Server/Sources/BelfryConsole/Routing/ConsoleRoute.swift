import BelfryServices
import Hummingbird

/// A route of the console: its path, who may call it, and its work.
struct ConsoleRoute: Sendable {
    /// The people who may call a route.
    enum Access: Hashable, Sendable {
        /// Everybody, also without a session: for the sign-in itself.
        case anyone
        /// Everybody with a session.
        case signedIn
        /// People with this right in the app that the path names (`{app}`).
        case app(UserRight)
        /// Operators of the server.
        case operators
    }

    let method: HTTPRequest.Method
    /// The path after `/console`, with parameters in braces.
    let path: String
    let access: Access
    /// The action's name in the audit log; nil for a route that changes nothing or writes the log itself.
    let audit: String?
    let work: @Sendable (ConsoleCall) async throws -> ConsoleResponse
    /// Whether the input of a refused form is shown again, so that the person does not lose it.
    var keepsForm = false
    /// Whether the response is a stream that lasts until the browser disconnects.
    var isLive = false

    static func get(
        _ path: String, _ access: Access, _ work: @escaping @Sendable (ConsoleCall) async throws -> ConsoleResponse
    ) -> ConsoleRoute {
        ConsoleRoute(method: .get, path: path, access: access, audit: nil, work: work)
    }

    /// A route that streams the parts of a page as they change.
    static func live(
        _ path: String, _ access: Access, _ work: @escaping @Sendable (ConsoleCall) async throws -> ConsoleResponse
    ) -> ConsoleRoute {
        var route = get(path, access, work)
        route.isLive = true
        return route
    }

    /// The same route, but keeping the form. It is for forms with much input and no secrets: when the session has ended
    /// or the work fails, the error page keeps the input.
    var keepingForm: ConsoleRoute {
        var route = self
        route.keepsForm = true
        return route
    }

    /// - Parameter audit: the action's name in the audit log; nil for a route that changes nothing, such as a preview,
    ///   or that writes the log itself.
    static func post(
        _ path: String, _ access: Access, audit: String?,
        _ work: @escaping @Sendable (ConsoleCall) async throws -> ConsoleResponse
    ) -> ConsoleRoute {
        ConsoleRoute(method: .post, path: path, access: access, audit: audit, work: work)
    }
}

/// A call of the console.
struct ConsoleCall: Sendable {
    let services: APIServices
    let settings: ConsoleSettings
    /// The signed-in person; nil only on routes for anyone.
    let user: SignedInUser?
    /// The app that the path names; nil where it names none.
    let app: AppService.App?
    /// The path's parameters by name, decoded.
    let parts: [String: String]
    let query: FormFields
    /// The fields of the form; empty for a request without a form.
    let form: FormFields
    /// The path and query as they came, to repeat the call or to link back to it.
    let address: String
    /// The host and optional port that the request names; nil: none.
    let host: String?
    /// The caller's address, for which sign-in attempts are counted; nil when they are not counted.
    let network: IPAddress?
    let agent: String
    /// Whether a script asked for only a part of the page.
    let wantsFragment: Bool
    /// The session token from the cookie, to end or replace the session.
    let sessionToken: String?
    /// The token of a sign-in by an identity provider that has not finished.
    let attempt: String?

    /// The signed-in person.
    ///
    /// - Throws: `unauthorized` without a session.
    func signedIn() throws(ServiceError) -> SignedInUser {
        guard let user else { throw .unauthorized(code: "unauthorized", message: "Sign in first.") }
        return user
    }

    /// The app that the path names.
    ///
    /// - Throws: `notFound` where it names none.
    func inApp() throws(ServiceError) -> AppService.App {
        guard let app else { throw .notFound(what: "app", id: "") }
        return app
    }

    /// The person's rights in the app.
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

    /// The caller as the audit log and the limits know it.
    func principal() throws(ServiceError) -> AdminPrincipal {
        try signedIn().principal(in: app)
    }

    /// Makes a change, and writes it into the audit log in the same transaction.
    func auditing<Output>(
        _ action: String, to target: String?, _ work: () async throws -> Output
    ) async throws -> Output {
        try await auditing(action, to: target, work) { _ in target }
    }

    /// Creates something, and writes it into the audit log in the same transaction.
    ///
    /// - Parameter name: the name of what was created, which is only known afterwards.
    func auditing<Output>(
        _ action: String, to target: String? = nil, _ work: () async throws -> Output, naming name: (Output) -> String?
    ) async throws -> Output {
        let app = app?.code
        return try await services.access.auditing(action, by: principal(), app: app, target: target, work) { output in
            .done(app: app, target: name(output))
        }
    }

    /// Writes a line into the audit log for an action that changes nothing in the store, or was announced before.
    func note(_ action: String, to target: String? = nil) async throws {
        try await services.access.audit(principal(), action: action, app: app?.code, target: target)
    }
}

/// The result of a console call.
enum ConsoleResponse: Sendable {
    case page(Page)
    /// A page with an error status, such as a form that was refused.
    case pageWithStatus(Page, HTTPResponse.Status)
    /// A part of a page; a script puts it into the page.
    case fragment(template: String, model: any Sendable)
    /// A redirect to another page (303), with a sentence that the next page shows once.
    case redirect(String, notice: Notice? = nil)
    /// A file to save.
    case file(name: String, contentType: String, body: [UInt8])
    /// A streamed file to save; it may be too long for memory.
    case download(name: String, contentType: String, ResponseBody)
    /// JSON for scripts of the console.
    case json([UInt8])
    /// A stream of changed page parts (server-sent events); it ends with nil.
    case live(@Sendable () async -> LiveFragment?)
    /// A separate document for a sandboxed frame: an in-app or rich message as devices show it (SEC-4).
    case sandboxed(html: String, policy: String)
    /// Signs in: sets the session cookie and redirects.
    case signedIn(SignInService.SignedIn, next: String)
    case signedOut
    /// Redirects to the identity provider, and stores in a cookie what its response is compared with.
    case departing(ProviderSignIn.Departure)
    /// The end of a sign-in by an identity provider: removes that cookie, whatever the result.
    indirect case returned(ConsoleResponse)
    /// Sets the colour scheme and redirects.
    case scheme(ColorScheme, next: String)

    /// Whether the action was done; a refused form has changed nothing.
    var isDone: Bool {
        switch self {
        case .pageWithStatus: false
        case .returned(let inner): inner.isDone
        default: true
        }
    }
}

/// A sentence on what was just done.
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

/// A part of a page that may have changed. The template is rendered with the model, and replaces the element `target`.
struct LiveFragment: Sendable {
    let target: String
    let template: String
    let model: any Sendable
}

extension ConsoleCall {
    /// A new idempotency key for the forms of a page (CON-5).
    var newFormKey: String { services.randomBytes(16).hexText }

    /// The idempotency key of the form that was sent; nil for a form without one.
    ///
    /// - Parameters:
    ///   - action: the action's name in the audit log, if the service that does the work writes the log line.
    ///   - target: what the action is done to; nil: what it creates.
    /// - Throws: ``ConsoleError/unreadableForm`` for a malformed key.
    func formKey(audit action: String? = nil, to target: String? = nil) throws -> FormKey? {
        guard form.contains("key") else { return nil }
        let line = try action.map { FormKey.Line($0, app: try inApp().code, to: target) }
        guard let key = FormKey(form["key"], of: try principal(), audit: line) else {
            throw ConsoleError.unreadableForm
        }
        return key
    }
}
