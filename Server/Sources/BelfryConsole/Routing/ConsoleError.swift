/// Why a call of the console goes no further.
enum ConsoleError: Error {
    case signInFirst
    /// A form that this session's pages did not make: another site sends it, or the session has changed since.
    case foreignForm
    /// A demonstration was asked for by a name that is not this machine's.
    case foreignHost
    /// The body of a request is no form, or is too long.
    case unreadableForm
}
