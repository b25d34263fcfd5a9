import BelfryModel
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The form that a request carries, and whether a page of ours may have sent it.
struct RequestForm: Sendable {
    private let request: Request
    private let settings: ConsoleSettings

    init(_ request: Request, settings: ConsoleSettings) {
        self.request = request
        self.settings = settings
    }

    /// Bytes of the body as its head announces them; without that, and at most, as many as are taken.
    var announcedBytes: Int {
        let announced: Int? = request.headers[.contentLength].flatMap { WholeNumber.read($0) }
        return min(max(announced ?? FormFields.maximumBytes, 0), FormFields.maximumBytes)
    }

    /// Empty for a request without a body.
    ///
    /// - Throws: ``ConsoleError/foreignForm`` for one that another site sends, ``ConsoleError/unreadableForm``.
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
            // Too long, or its sender has left in the middle of it.
            throw ConsoleError.unreadableForm
        }
    }

    /// What the browser says of the page that sends the form (Fetch Metadata, and `Origin` for browsers without it).
    private var comesFromOurPages: Bool {
        if let site = request.headers[.secFetchSite], site != "same-origin" { return false }
        guard let origin = request.headers[.origin] else { return request.headers[.secFetchSite] != nil }
        if let publicURL = settings.publicURL { return origin == publicURL }
        let scheme = settings.servesTLS ? "https" : "http"
        return request.head.authority.map { origin == "\(scheme)://\($0)" } ?? false
    }
}

extension HTTPField.Name {
    /// Which kind of site caused a request (W3C Fetch Metadata §2.3).
    // A constant token of letters and hyphens is a field name.
    static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
