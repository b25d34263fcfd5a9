import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The files of the phones' page, compiled into the program.
enum PhoneAssets {
    /// The place in the page for the link to the website.
    private static let place = Array("<!-- beside -->".utf8)

    /// - Parameter website: the page that makes the person's own browser a device, if there is one (WEB-8).
    static func page(beside website: URL?) -> Response {
        var html = PackageResources.phone_html
        if let place = html.firstRange(of: place) { html.replaceSubrange(place, with: link(to: website)) }
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store", .contentSecurityPolicy: policy,
                .referrerPolicy: "no-referrer",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: html))
        )
    }

    /// The link to the website. The address needs no escaping: it contains no character that ends an HTML attribute.
    private static func link(to website: URL?) -> [UInt8] {
        guard let address = website?.absoluteString else { return [] }
        let attributes = "class=\"beside\" href=\"\(address)\" target=\"_blank\" rel=\"noopener\""
        return Array("<a \(attributes)>Your own browser</a>".utf8)
    }

    /// The files that the page loads, by name.
    enum File: String, CaseIterable {
        case bench = "bench.css"
        case style = "phone.css"
        case icons = "icons.css"
        case phone = "phone.js"
        case live = "live.js"
        case system = "system.js"
        case app = "app.js"
        case inspector = "inspector.js"
        case element = "element.js"

        fileprivate var bytes: [UInt8] {
            switch self {
            case .bench: PackageResources.bench_css
            case .style: PackageResources.phone_css
            case .icons: PackageResources.icons_css
            case .phone: PackageResources.phone_js
            case .live: PackageResources.live_js
            case .system: PackageResources.system_js
            case .app: PackageResources.app_js
            case .inspector: PackageResources.inspector_js
            case .element: PackageResources.element_js
            }
        }

        fileprivate var type: String {
            switch self {
            case .bench, .style, .icons: "text/css; charset=utf-8"
            case .phone, .live, .system, .app, .inspector, .element: "text/javascript; charset=utf-8"
            }
        }
    }

    static func response(_ name: String) -> Response {
        guard let file = File(rawValue: name) else { return Response(status: .notFound) }
        return Response(
            status: .ok, headers: [.contentType: file.type, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: file.bytes))
        )
    }

    /// The content security policy: the page's own files only. Images may come from any https address, because
    /// campaigns name them.
    private static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: https:; connect-src 'self'; \
        frame-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'; \
        require-trusted-types-for 'script'
        """
}

extension HTTPField.Name {
    // A constant token of letters and hyphens is a field name.
    static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
}
