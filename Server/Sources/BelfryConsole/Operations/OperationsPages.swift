/// All pages for operators of the server (CON-10).
enum OperationsPages {
    static let routes: [ConsoleRoute] = [
        ServerPages.routes, QuarantinePages.routes, AuditPages.routes, AccountsPages.routes,
    ].flatMap(\.self)
}
