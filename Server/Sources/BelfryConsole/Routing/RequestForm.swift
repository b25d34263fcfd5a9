import BelfryModel
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The form of a request, with a check that a page of this console sent it.
struct RequestForm: Sendable {
    private let request: Request
    private let settings: ConsoleSettings

    init(_ request: Request, settings: ConsoleSettings) {
        self.request = request
        self.settings = settings
    }

    /// The body's length in bytes as the request announces it, at most the accepted maximum; the maximum if it
    /// announces none.
    var announcedBytes: Int {
        let announced: Int? = request.headers[.contentLength].flatMap { WholeNumber.read($0) }
        return min(max(announced ?? FormFields.maximumBytes, 0), FormFields.maximumBytes)
    }

    /// Reads the form; empty for a request other than POST.
    ///
    /// - Throws: ``ConsoleError/foreignForm`` for a form from another site, ``ConsoleError/unreadableForm`` for a body
    ///   that is not a form or is too long.
    func fields() async throws -> FormFields {
        guard request.method == .post else { return FormFields() }
        guard comesFromOurPages else { throw ConsoleError.foreignForm }
        let type = request.headers[.contentType]?.utf8.prefix { $0 != UInt8(ascii: ";") }
        guard type.map({ String(Substring($0)).lowercased() }) == "application/x-www-form-urlencoded" else {
            throw ConsoleError.unreadableForm
        }
        let body = try await self.body()
        guard let form = FormFields(body.readableBytesView) else { throw ConsoleError.unreadableForm }
        return form
    }

    private func body() async throws -> ByteBuffer {
        do {
            return try await request.body.collect(upTo: FormFields.maximumBytes)
        } catch let error as CancellationError {
            throw error
        } catch {
            // The body is too long, or the browser disconnected before its end.
            throw ConsoleError.unreadableForm
        }
    }

    /// Whether a page of this console sent the form, as the browser reports it (Fetch Metadata; `Origin` for browsers
    /// without it).
    private var comesFromOurPages: Bool {
        if let site = request.headers[.secFetchSite], site != "same-origin" { return false }
        guard let origin = request.headers[.origin] else { return request.headers[.secFetchSite] != nil }
        if let publicURL = settings.publicURL { return origin == publicURL }
        let scheme = settings.servesTLS ? "https" : "http"
        return request.head.authority.map { origin == "\(scheme)://\($0)" } ?? false
    }
}

extension HTTPField.Name {
    /// The relation of the requesting site to this one (W3C Fetch Metadata §2.3).
    // A constant token of letters and hyphens is a field name.
    static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
