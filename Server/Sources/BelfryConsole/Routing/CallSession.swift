import BelfryServices
import HTTPTypes
import Hummingbird

/// The caller of a console call, as the cookies show it.
struct CallSession: Sendable {
    /// The session token from the cookie.
    let token: String?
    /// The token of a sign-in by an identity provider that has not finished, from its cookie.
    let attempt: String?
    /// The sentence that the previous call left for this page.
    let notice: Notice?
    let scheme: ColorScheme
    var user: SignedInUser?
    var app: AppService.App?

    init(_ request: Request, settings: ConsoleSettings) {
        let cookies = Cookies(request.headers[values: .cookie])
        token = cookies[settings.cookieName]
        attempt = cookies[settings.attemptCookieName]
        notice = token.flatMap { token in cookies[NoticeCookie.name].flatMap { NoticeCookie.read($0, session: token) } }
        scheme = cookies[ColorScheme.cookie].flatMap(ColorScheme.init) ?? .system
    }
}
