import BelfryModel
import BelfryServices
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// Makes HTTP responses from console responses: adds the layout, headers and cookies.
struct PageRenderer: Sendable {
    let templates: PageTemplates
    let assets: Assets
    let settings: ConsoleSettings

    /// - Parameters:
    ///   - address: where a browser finds the page, or the page above it, by GET.
    ///   - departure: ends a live response when its browser disconnects.
    func response(
        _ response: ConsoleResponse, to call: ConsoleCall, page address: String, session: CallSession,
        until departure: Departure
    ) throws -> Response {
        switch response {
        case .page(let page):
            return try self.page(page, status: .ok, session: session, address: address)
        case .pageWithStatus(let page, let status):
            return try self.page(page, status: status, session: session, address: address)
        case .fragment(let template, let model):
            return html(try templates.render(template, model), status: .ok)
        case .redirect(let next, let notice):
            guard let notice, let token = call.sessionToken else { return redirect(to: next) }
            let value = NoticeCookie.value(notice, session: token)
            return redirect(to: next, setting: NoticeCookie.name, value, NoticeCookie.maximumAge)
        case .file(let name, let contentType, let bytes):
            return file(name: name, contentType: contentType, body: Self.body(bytes))
        case .download(let name, let contentType, let body):
            return file(name: name, contentType: contentType, body: body)
        case .json(let bytes):
            return Response(status: .ok, headers: [.contentType: "application/json"], body: Self.body(bytes))
        case .live(let next):
            return live(next, until: departure)
        case .sandboxed(let html, let policy):
            return self.html(html, status: .ok, policy: policy)
        case .signedIn(let signedIn, let next):
            return redirect(to: next, setting: settings.cookieName, signedIn.token, Int(SignInService.maximumAge))
        case .signedOut:
            return redirect(to: "/console/sign-in", setting: settings.cookieName, "", 0)
        case .departing(let departure):
            return depart(to: departure)
        case .returned(let inner):
            var response = try self.response(inner, to: call, page: address, session: session, until: departure)
            set(settings.attemptCookieName, "", 0, in: &response)
            return response
        case .scheme(let scheme, let next):
            return redirect(to: next, setting: ColorScheme.cookie, scheme.rawValue, 365 * 86_400)
        }
    }

    func error(_ error: ErrorPage, address: String, session: CallSession) -> Response {
        let page = Page(error.title, template: "error", model: error.model)
        guard let response = try? self.page(page, status: error.status, session: session, address: address) else {
            return html("The page cannot be shown.", status: .internalServerError)
        }
        return response
    }

    /// The page that keeps the input of a refused form, with the reason.
    func kept(_ form: KeptForm, _ error: ErrorPage, address: String, session: CallSession) -> Response {
        let model = KeptFormModel(form, error, address: address, user: session.user)
        let page = Page(error.title, template: "kept-form", model: model)
        guard let response = try? self.page(page, status: error.status, session: session, address: "/console") else {
            return self.error(error, address: address, session: session)
        }
        return response
    }

    /// A redirect with status 303: the browser gets the address by GET, whatever method it used before.
    func redirect(to address: String) -> Response {
        Response(status: .seeOther, headers: [.location: address, .cacheControl: "no-store"])
    }

    /// - Parameter maximumAge: the lifetime of the cookie in seconds; 0 deletes it.
    private func redirect(
        to address: String, setting cookie: String, _ value: String, _ maximumAge: Int
    ) -> Response {
        var response = redirect(to: address)
        set(cookie, value, maximumAge, in: &response)
        return response
    }

    /// Redirects to the identity provider. The referrer policy keeps it from learning which page the person wanted to
    /// see.
    private func depart(to departure: ProviderSignIn.Departure) -> Response {
        var response = redirect(
            to: departure.address, setting: settings.attemptCookieName, departure.attempt,
            ProviderSignIn.attemptLifetime
        )
        response.headers[.referrerPolicy] = "no-referrer"
        return response
    }

    private func page(
        _ page: Page, status: HTTPResponse.Status, session: CallSession, address: String
    ) throws -> Response {
        let content = try templates.render(page.template, page.model)
        let layout = LayoutModel(page, content: content, session: session, assets: assets, address: address)
        var response = html(
            try templates.render(session.user == nil ? "layout-outside" : "layout", layout), status: status)
        if session.notice != nil { set(NoticeCookie.name, "", 0, in: &response) }
        return response
    }

    private func html(_ text: String, status: HTTPResponse.Status, policy: String = Self.policy) -> Response {
        Response(
            status: status,
            headers: [
                .contentType: "text/html; charset=utf-8", .contentSecurityPolicy: policy,
                .cacheControl: "no-store", .referrerPolicy: "same-origin", .crossOriginOpenerPolicy: "same-origin",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
        )
    }

    private static func body(_ bytes: [UInt8]) -> ResponseBody {
        ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
    }

    /// The content security policy of pages (CON-1): only the console's own files, no inline scripts or styles, and no
    /// other page may show this one in a frame. Images may come from any https address, because campaigns name them.
    static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: https:; connect-src 'self'; \
        font-src 'self'; frame-src 'self'; manifest-src 'self'; form-action 'self'; frame-ancestors 'none'; \
        base-uri 'none'; require-trusted-types-for 'script'; trusted-types belfry
        """

    private func file(name: String, contentType: String, body: ResponseBody) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: contentType, .contentDisposition: "attachment; filename=\"\(Self.fileName(name))\"",
                .contentSecurityPolicy: "sandbox; default-src 'none'",
            ],
            body: body
        )
    }

    /// The file name with only letters, digits, dots and hyphens: nothing that could end the header's value.
    private static func fileName(_ name: String) -> String {
        String(
            decoding: name.utf8.map { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
                    byte
                default: UInt8(ascii: "-")
                }
            }, as: UTF8.self)
    }

    /// A stream of server-sent events (HTML Standard §9.2). Each names the element that it replaces. An element that
    /// has not changed is not sent again.
    private func live(_ next: @escaping @Sendable () async -> LiveFragment?, until departure: Departure) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-store", .xAccelBuffering: "no"],
            body: ResponseBody { [templates] writer in
                defer { departure.endWatch() }
                var sent: [String: [UInt8]] = [:]
                while let fragment = await departure.whileThere(next) {
                    let text = try templates.render(fragment.template, fragment.model)
                    let event = Self.event(named: fragment.target, data: text)
                    guard sent.updateValue(event, forKey: fragment.target) != event else { continue }
                    try await writer.write(ByteBuffer(bytes: event))
                }
                try await writer.finish(nil)
            }
        )
    }

    static func event(named name: String, data: String) -> [UInt8] {
        var bytes = Array("event: \(name)\n".utf8)
        for line in data.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            bytes += Array("data: ".utf8) + line.filter { $0 != UInt8(ascii: "\r") } + [UInt8(ascii: "\n")]
        }
        return bytes + [UInt8(ascii: "\n")]
    }

    private func set(_ name: String, _ value: String, _ maximumAge: Int?, in response: inout Response) {
        let cookie = SetCookie(name: name, value: value, maximumAge: maximumAge, isSecure: settings.isSecure)
        response.headers.append(HTTPField(name: .setCookie, value: cookie.header))
    }
}

extension HTTPField.Name {
    // A constant token of letters and hyphens is a field name.
    static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
    // A constant token of letters and hyphens is a field name.
    static let crossOriginOpenerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy")!
    /// Tells a reverse proxy to pass each event on without buffering.
    // A constant token of letters and hyphens is a field name.
    static let xAccelBuffering = HTTPField.Name("X-Accel-Buffering")!
}
