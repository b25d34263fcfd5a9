/// The phone has no network: nothing is sent, and no answer comes.
struct NoNetwork: Error, CustomStringConvertible {
    let description = "The phone is in airplane mode."
}
