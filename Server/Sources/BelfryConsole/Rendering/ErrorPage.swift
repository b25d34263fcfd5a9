import BelfryServices
import Hummingbird

/// The page for a failed call: what happened, and what to do (CON-11).
struct ErrorPage: Sendable {
    struct Model: Sendable {
        let title: String
        let sentence: String
        let advice: String
    }

    let status: HTTPResponse.Status
    let title: String
    let sentence: String
    let advice: String

    var isFaultOfOurs: Bool { status == .internalServerError }
    var model: Model { Model(title: title, sentence: sentence, advice: advice) }

    init(_ error: any Error) {
        switch error {
        case let form as KeptForm:
            self.init(form)
        case ConsoleError.signInFirst:
            self.init(.unauthorized, "Sign in", "Your session has ended.", "Sign in and do it again.")
        case ConsoleError.foreignForm:
            self.init(
                .forbidden, "The form was not accepted", "It did not come from a page of your current session.",
                "Go back, load the page again and submit the form again."
            )
        case ConsoleError.foreignHost:
            self.init(
                .forbidden, "Not at this address", "The demonstration is reached at this machine alone.",
                "Open it at 127.0.0.1 or localhost."
            )
        case ConsoleError.unreadableForm:
            self.init(.badRequest, "The form cannot be read", "It is too long or damaged.", "Go back and try again.")
        case let error as ServiceError:
            self.init(error)
        case let error where error.meansTryAgain || error.meansOverload:
            self.init(
                .serviceUnavailable, "The database is busy", "It cannot take this now.", "Try again in a few seconds."
            )
        default:
            self.init(
                .internalServerError, "Something went wrong", "The server could not render this page.",
                "Try again. If it happens again, the server's log says what failed."
            )
        }
    }

    private init(_ form: KeptForm) {
        switch form.reason {
        case .signInFirst:
            self.init(
                .unauthorized, "Your session has ended", "Nothing was saved, and what you typed is kept on this page.",
                "Sign in in another tab, then come back to this one and continue."
            )
        case .newSession:
            self.init(
                .forbidden, "You have signed in again",
                "Nothing was saved: this page belongs to an earlier session.",
                "What you typed is kept here. Send it now, or leave this page."
            )
        case .failed(let error):
            let page = ErrorPage(error)
            self.init(page.status, page.title, page.sentence, "\(page.advice) What you typed is kept on this page.")
        }
    }

    private init(_ error: ServiceError) {
        switch error {
        case .unknownApp:
            self.init(
                .notFound, "No such app", "There is no such app, or you have no role in it.", "Choose another app.")
        case .notFound(let what, let id, _):
            self.init(
                .notFound, "Not found", "There is no \(what) '\(id.isolated)'.", "Check the address, or search for it.")
        case .forbidden(_, let message):
            self.init(.forbidden, "Not allowed", message, "")
        case .unauthorized(_, let message):
            self.init(.unauthorized, "Not signed in", message, "")
        case .conflict(_, let message):
            self.init(.conflict, "It has changed meanwhile", message, "Load the page again and look at it.")
        case .gone(_, let message):
            self.init(.gone, "No longer there", message, "")
        case .tooManyCalls("adminKey", _, let wait):
            // This limit applies to people as well as to admin keys, and the page is for people.
            self.init(
                .tooManyRequests, "Too often", "You have requested more pages in a minute than the server allows.",
                "Wait for \(Figures.count(max(wait, 1), "second", "seconds")) and do it again."
            )
        case .tooManyCalls("trials", _, let wait):
            self.init(
                .tooManyRequests, "Busy at the moment",
                """
                The server runs only a few previews, counts and tests at a time, and all places are taken. Try again in \
                \(Figures.count(max(wait, 1), "second", "seconds")).
                """, ""
            )
        case .tooManyCalls(_, let message, _):
            self.init(.tooManyRequests, "Too often", message, "")
        case .invalid(_, let error):
            self.init(.unprocessableContent, "Please check what you entered", error.message, "Go back and correct it.")
        case .invalidFields(let first, let others):
            let messages = ([first] + others).map(\.error.message).joined(separator: " ")
            self.init(.unprocessableContent, "Please check what you entered", messages, "Go back and correct it.")
        case .registerAnew:
            self.init(.badRequest, "Not possible", "This is for devices.", "")
        }
    }

    private init(_ status: HTTPResponse.Status, _ title: String, _ sentence: String, _ advice: String) {
        self.status = status
        self.title = title
        self.sentence = sentence
        self.advice = advice
    }
}

/// Why the console refuses a call.
enum ConsoleError: Error {
    case signInFirst
    /// The form was not made by a page of this session: it comes from another site, or the session has changed since.
    case foreignForm
    /// A demonstration was called by a host name that is not this machine's own.
    case foreignHost
    /// The request's body is not a form, or is too long.
    case unreadableForm
}
