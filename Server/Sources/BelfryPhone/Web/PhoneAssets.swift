import HTTPTypes
import Hummingbird
import NIOCore

/// The files of the phones' page, compiled in.
enum PhoneAssets {
    static var page: Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store", .contentSecurityPolicy: policy,
                .referrerPolicy: "no-referrer",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: PackageResources.phone_html))
        )
    }

    static func response(_ name: String) -> Response {
        let file: (bytes: [UInt8], type: String)? =
            switch name {
            case "phone.css": (PackageResources.phone_css, "text/css; charset=utf-8")
            case "phone.js": (PackageResources.phone_js, "text/javascript; charset=utf-8")
            case "app.js": (PackageResources.app_js, "text/javascript; charset=utf-8")
            case "inspector.js": (PackageResources.inspector_js, "text/javascript; charset=utf-8")
            case "element.js": (PackageResources.element_js, "text/javascript; charset=utf-8")
            default: nil
            }
        guard let file else { return Response(status: .notFound) }
        return Response(
            status: .ok, headers: [.contentType: file.type, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: file.bytes))
        )
    }

    /// Its own files only; pictures may come by https from anywhere, since campaigns name them.
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
