import BelfryModel
import Foundation

extension Gallery {
    static let sale = InAppContent(
        title: "Weekend sale",
        body: "Everything for the garden is 20 % cheaper until Sunday. Members get free delivery.",
        imageUrl: picture(800, 450), imageAlt: "A garden in spring",
        buttons: [
            InAppButton(
                id: "shop", text: "Shop now", action: InAppAction(type: .openUrl, url: "https://example.com/sale")),
            InAppButton(id: "later", text: "Not now", action: InAppAction(type: .close)),
        ],
        action: InAppAction(type: .openUrl, url: "https://example.com/garden")
    )

    static let arabic = InAppContent(
        title: "Belfry: تخفيضات نهاية الأسبوع",
        body: "خصم ٢٠٪ على كل مستلزمات الحديقة حتى يوم الأحد. التوصيل مجاني للأعضاء.",
        imageUrl: picture(800, 450), imageAlt: "حديقة في الربيع",
        buttons: [
            InAppButton(
                id: "shop", text: "تسوق الآن", action: InAppAction(type: .openUrl, url: "https://example.com/sale")),
            InAppButton(id: "later", text: "ليس الآن", action: InAppAction(type: .close)),
        ]
    )

    /// Texts that would run, load or leave if any were read as HTML, script or style.
    static let hostileTexts = InAppContent(
        title: "</script><script>document.title='ran'</script>",
        body: "<img src=x onerror=\"document.title='ran'\">'\"`{{",
        imageUrl: picture(800, 450), imageAlt: "\" onload=\"document.title='ran'",
        buttons: [
            InAppButton(
                id: "\"</script><script>document.title='ran'</script>",
                text: "<b onclick=document.title='ran'>Press</b>", action: InAppAction(type: .close)),
            InAppButton(id: "later", text: "Not now", action: InAppAction(type: .close)),
        ]
    )

    static let longWords = InAppContent(
        title: "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen",
        body:
            "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz https://example.com/a/very/long/address/that/nobody/breaks",
        imageUrl: picture(800, 450),
        buttons: [
            InAppButton(
                id: "a", text: "Kraftfahrzeughaftpflichtversicherungsnummer", action: InAppAction(type: .close)
            ),
            InAppButton(id: "b", text: "Nein", action: InAppAction(type: .close)),
        ]
    )

    static let longBody: InAppContent = {
        var content = sale
        content.body = (1...14).map {
            "\($0). Everything for the garden is cheaper until Sunday, and members get it delivered for nothing."
        }
        .joined(separator: "\n\n")
        return content
    }()

    static func withButtons(_ count: Int) -> InAppContent {
        var content = sale
        content.action = nil
        content.buttons = ["Shop now", "Show me more", "Remind me tomorrow", "I have it already", "Never again"]
            .prefix(count).enumerated().map { InAppButton(id: "b\($0)", text: $1, action: InAppAction(type: .close)) }
        return content
    }

    static let longButtons: InAppContent = {
        var content = sale
        content.buttons = [
            InAppButton(id: "a", text: "Take me to the garden furniture", action: InAppAction(type: .close)),
            InAppButton(id: "b", text: "Tell me again on another day", action: InAppAction(type: .close)),
        ]
        return content
    }()

    static func withImage(_ url: String?) -> InAppContent {
        var content = sale
        content.imageUrl = url
        return content
    }

    static let titleFirst: InAppContent = {
        var content = sale
        content.layout = .titleImageBody
        return content
    }()

    static let imageOnly = InAppContent(
        imageUrl: picture(780, 1_688), imageAlt: "20 % off everything until Sunday",
        action: InAppAction(type: .openUrl, url: "https://example.com/sale")
    )
    static let imageOnlyBroken: InAppContent = {
        var content = imageOnly
        content.imageUrl = broken
        return content
    }()
    static let bareButtons: InAppContent = {
        var content = imageOnly
        content.buttons = sale.buttons
        return content
    }()

    static let colored: InAppContent = {
        var content = sale
        content.colors = InAppColors(
            background: "#FFF4E5", text: "#4A2500", button: "#B34700", buttonText: "#FFFFFF",
            dark: InAppDarkColors(background: "#2B1600", text: "#FFE3C2", button: "#FFB066", buttonText: "#2B1600")
        )
        return content
    }()

    static let broken = "data:image/png;base64,AAAA"

    /// A landscape that was drawn here, so that no page needs a network.
    static func picture(_ width: Int, _ height: Int) -> String {
        let drawing = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 800 450" \
            preserveAspectRatio="xMidYMid slice"><rect y="-2000" width="800" height="4450" fill="#8fd3f4"/>\
            <circle cx="610" cy="110" r="60" fill="#ffe08a"/><path d="M0 300Q200 180 420 290T800 250V2450H0Z" fill="#6cbf6c"/>\
            <path d="M0 360Q260 270 520 360T800 340V2450H0Z" fill="#3f8f4f"/></svg>
            """
        return "data:image/svg+xml;base64," + Data(drawing.utf8).base64EncodedString()
    }

    static let page = """
        <!DOCTYPE html>
        <html lang="en"><head><title>Summer party</title>
        <style>body{margin:0;min-height:100vh;display:grid;place-items:center;background:rgba(20,20,60,.55);font-family:serif}
        main{background:#fff;color:#222;padding:32px;border-radius:12px;max-width:300px;text-align:center}</style></head>
        <body><main><h1>Summer party</h1><p>You are invited, "with" friends &amp; family.</p>
        <p><a id="link" href="https://example.com/party?a=1&amp;b=2">See the programme</a></p>
        <p><a id="deep" href="shop://party">Deep link</a> <a id="bad" href=" java&#10;script:alert(1)">Bad</a></p>
        <p><span id="answer" data-belfry-button="yes">I will come</span>
        <span id="event" data-belfry-event="party" data-belfry-attributes='{"guests":2}'>Two of us</span></p>
        <button id="done" data-belfry-button="done" data-belfry-close>Close</button></main></body></html>
        """

    static let strip = """
        <div style="background:#123;color:#fff;padding:16px;border-radius:12px">Free delivery today.
        <a id="link" style="color:#9cf" href="https://example.com/free">More</a></div>
        """

    static let scripted = """
        <p id="said">Script has not run</p><button id="go">Close by script</button>
        <script>document.getElementById('said').textContent='Script has run';
        document.getElementById('go').onclick=function(){belfry.event('scripted',{n:1});belfry.close();};</script>
        """

    /// Things that no page may do unless the app allows script: run, navigate, load, or reach the surrounding page.
    static let hostile = """
        <meta http-equiv="refresh" content="0;url=https://example.com/stolen"><base href="https://example.com/">
        <script>document.title='ran';parent.document.title='ran';parent.postMessage({belfry:{command:'event',name:'ran'}},'*')</script>
        <img src="data:image/png;base64,AAAA" onerror="document.title='ran'"><svg onload="document.title='ran'"></svg>
        <iframe src="https://example.com/"></iframe><object data="https://example.com/"></object>
        <link rel="stylesheet" href="https://example.com/a.css"><form action="https://example.com/"><button id="send">Send</button></form>
        <a id="script" href="javascript:document.title='ran'">Script</a> <a id="data" href="data:text/html,ran">Data</a>
        <a id="file" href="file:///etc/passwd">File</a> <a id="plain" href="https://example.com/plain" target="_blank">Plain</a>
        </main></body></html><h1 id="still">Still here</h1>
        """
}
