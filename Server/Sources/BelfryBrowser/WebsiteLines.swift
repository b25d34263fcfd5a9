/// The lines that a website needs to use an app (WEB-1): the same on the command line and in the console.
package struct WebsiteLines: Hashable, Sendable {
    /// A script of the SDK, as a page refers to it.
    package struct Script: Hashable, Sendable {
        package let name: String
        package let integrity: String

        package init(name: String, integrity: String) {
            self.name = name
            self.integrity = integrity
        }
    }

    /// Where the website keeps its service worker, by these lines.
    package static let workerPath = "/belfry-sw.js"

    /// For the page's `<head>`.
    package let page: String
    /// For the file of the website's own service worker, which has to be of the website's own origin.
    package let worker: String
    /// What a content security policy of the website has to allow beside what it allows today.
    package let policy: String

    /// - Parameters:
    ///   - server: the server's address, without a slash at its end.
    ///   - app: the app's code: letters that need no escape.
    ///   - version: the SDK's.
    ///   - scripts: all of the SDK's.
    package init(server: String, app: String, version: String, scripts: [Script]) {
        let base = "\(server)\(BrowserSDK.path)/\(version)"
        // Each script loads others, some of them late: the map gives the hash of each, before the first is loaded.
        let hashes = scripts.map { #"    "\#(base)/\#($0.name)": "\#($0.integrity)""# }
        let first = scripts.first { $0.name == BrowserSDK.module }
        let preload = first.map { script in
            #"<link rel="modulepreload" href="\#(base)/\#(script.name)" integrity="\#(script.integrity)" crossorigin>"#
        }
        page = """
            <script type="importmap">
              { "integrity": {
            \(hashes.joined(separator: ",\n"))
              } }
            </script>
            \(preload ?? "")
            <script type="module">
              import { Belfry } from "\(base)/\(BrowserSDK.module)";
              const belfry = await Belfry.start({
                appCode: "\(app)", serverURL: "\(server)", worker: { url: "\(Self.workerPath)" },
              });
            </script>
            """
        worker = """
            import { attach } from "\(base)/\(BrowserSDK.worker)";
            attach("\(app)");
            """
        policy = "script-src \(server); connect-src \(server); frame-src \(server); worker-src 'self'"
    }
}

extension BrowserSDK {
    /// The lines for a website.
    package func lines(server: String, app: String) -> WebsiteLines {
        WebsiteLines(server: server, app: app, version: version, scripts: scripts)
    }

    package var scripts: [WebsiteLines.Script] {
        files.filter(\.isScript).map { WebsiteLines.Script(name: $0.name, integrity: $0.integrity) }
    }
}
