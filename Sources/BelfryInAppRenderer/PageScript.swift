/// The script of a page: it reports presses to the app, holds the focus in a dialog, and receives the frame's commands.
///
/// It is the same in all pages, so that a policy can allow it by one digest; everything that differs is in the page's
/// data.
enum PageScript {
    static let text = """
        (function(){
        'use strict';
        var d=document,$=function(i){return d.getElementById(i)},p=JSON.parse($('page').textContent),card=$('card'),\
        main=$('main'),foot=$('foot'),frame=$('frame'),cross=$('close'),count=0,over=false,ready=false,\
        told=false,last=-1;
        var isInline=p.type==='inline',isBanner=p.type==='bannerTop'||p.type==='bannerBottom',\
        isDialog=!isInline&&!isBanner;
        \(speaking)
        \(pressing)
        \(pictures)
        \(measuring)
        \(focus)
        \(framed)
        \(swiping)
        })();
        """

    /// Each bridge has its own format. A v3 SDK carries out no actions, so for it the page does. In a frame, whatever the
    /// page says goes to the document around it.
    private static let speaking = """
        function native(c,a){a.id=String(++count);
        var w=window.webkit,h=w&&w.messageHandlers&&w.messageHandlers[c],o=window.Android;
        if(h)h.postMessage(a);else if(o&&o[c])o[c](JSON.stringify(a));}
        function act(a){if(!a)return;
        if(a.type==='openUrl')native('openExternalLink',{url:a.url,keepInAppOpen:true});
        if(a.type==='event')tell(a.name,a.attributes);
        if(a.type==='pushSettings')native('requestPushPermission',{});
        if(!isInline||a.type==='close')native('close',{});}
        function tell(n,a){native('triggerMEEvent',{name:n,payload:a||{}});
        native('triggerAppEvent',{name:n,payload:a||{}});}
        var v3={close:function(){native('close',{});},
        click:function(f){native('buttonClicked',{buttonId:f.id===undefined?'message':f.id});
        act(f.id===undefined?p.action:p.actions[f.id]);},
        event:function(f){tell(f.name,f.attributes);},
        openLink:function(f){native('openExternalLink',{url:f.url,keepInAppOpen:true});},
        pushSettings:function(){native('requestPushPermission',{});}};
        if(p.bridge==='v3')window.MEIAM={handleResponse:function(){}};
        function say(c,f){f=f||{};
        if(p.bridge==='v3'){if(v3[c])v3[c](f);return;}
        f.command=c;
        if(p.bridge==='belfry'){f.nonce=p.nonce;var w=window.webkit,h=w&&w.messageHandlers&&w.messageHandlers.belfry,\
        o=window.belfryBridge;
        if(h)h.postMessage(JSON.stringify(f));else if(o)o.postMessage(JSON.stringify(f));
        else if(parent!==window)parent.postMessage({belfry:JSON.stringify(f)},'*');
        }else if(parent!==window)parent.postMessage({belfryPreview:f},'*');}
        """

    /// The command that closes the message is sent once, however often it is pressed.
    private static let pressing = """
        function end(c,f){if(over)return;if(!isInline&&p.bridge!=='preview')over=true;say(c,f);}
        function close(how){end('close',{how:how});}
        d.addEventListener('click',function(e){var t=e.target.closest?e.target.closest('button'):null;
        if(!t){if(isBanner&&!card.contains(e.target))close('close');return;}
        if(t===cross)close('close');
        else if(t.hasAttribute('data-tap'))end('click',{});
        else if(t.hasAttribute('data-id'))end('click',{id:t.getAttribute('data-id')});});
        d.addEventListener('keydown',function(e){if(e.key==='Escape'&&!isInline)close('close');});
        """

    /// An image that does not load is replaced by its text, or by nothing.
    private static let pictures = """
        function lose(i){var f=i.parentNode,w=i.getAttribute('data-alt');if(!f||f.className==='lost')return;
        f.className='lost';card.classList.remove('pic','only');
        if(w){var s=d.createElement('span');s.textContent=w;
        if(!i.alt)s.setAttribute('aria-hidden','true');f.replaceChild(s,i);}
        else if(f.querySelector('.tap'))f.removeChild(i);else f.hidden=true;}
        d.querySelectorAll('img').forEach(function(i){if(i.complete&&!i.naturalWidth)lose(i);
        else i.addEventListener('error',function(){lose(i);});});
        """

    /// Scrolling parts count with their whole height, so that the surrounding view can grow to it.
    ///
    /// A page that is shown before its frame has reported its own close button has one as well, so that the person can
    /// always leave it.
    private static let measuring = """
        function measure(){if(!card)return;
        [main,foot].forEach(function(e){if(!e||isInline)return;var o=e.scrollHeight>e.clientHeight+1;
        if(o&&e===main)e.tabIndex=0;else if(!o)e.removeAttribute('tabindex');
        if(e===main)card.classList.toggle('over',o);});
        if(isDialog)return;
        var s=getComputedStyle(d.body),h=card.offsetHeight+parseFloat(s.paddingTop)+parseFloat(s.paddingBottom);
        [main,foot].forEach(function(e){if(e)h+=Math.max(0,e.scrollHeight-e.clientHeight);});
        h=Math.ceil(h);if(ready&&h!==last){last=h;say('resized',{height:h});}}
        if(window.ResizeObserver&&card){var eye=new ResizeObserver(measure);eye.observe(card);
        card.querySelectorAll('.main,.foot,.text,.b').forEach(function(e){eye.observe(e);});}
        addEventListener('resize',measure);
        function stand(){if(ready)return;ready=true;measure();say('loaded');}
        addEventListener('load',stand);
        setTimeout(function(){if(cross&&!told)cross.hidden=false;stand();},5000);
        """

    private static let focus = """
        function stops(){return Array.prototype.filter.call(card.querySelectorAll('button,[tabindex="0"]'),\
        function(e){return e.getClientRects().length>0;});}
        function hold(e){if(e.key!=='Tab')return;var s=stops(),a=d.activeElement;
        if(frame){e.preventDefault();enter(e.shiftKey);return;}
        if(!s.length){e.preventDefault();return;}
        var edge=e.shiftKey?s[0]:s[s.length-1];
        if(a===edge||(e.shiftKey&&a===card)||!card.contains(a)){e.preventDefault();\
        (e.shiftKey?s[s.length-1]:s[0]).focus();}}
        function settle(){if(isDialog&&card&&!card.contains(d.activeElement))card.focus({preventScroll:true});}
        if(isDialog&&card){d.addEventListener('keydown',hold);settle();addEventListener('load',settle);
        addEventListener('focus',settle);d.addEventListener('focusin',settle);}
        """

    /// The frame has another origin: only known commands are accepted, and only from it.
    private static let framed = """
        function allowed(u){try{var s=new URL(u).protocol.slice(0,-1);return p.schemes.indexOf(s)>=0;}\
        catch(x){return false;}}
        function press(f){if(f.counts&&p.bridge!=='v3')say('click');}
        function enter(back){frame.focus();frame.contentWindow.postMessage({belfryEnter:back?'last':'first'},'*');}
        var heard={close:function(f){close(f.how==='button'?'button':'close');},
        click:function(f){if(typeof f.id==='string'&&!over)say('click',{id:f.id});},
        event:function(f){if(typeof f.name==='string'&&!over)say('event',{name:f.name,attributes:f.attributes||{}});},
        openLink:function(f){if(over||!allowed(f.url))return;press(f);say('openLink',{url:f.url});
        if(f.closes&&!isInline)close('button');},
        pushSettings:function(f){if(!over){press(f);say('pushSettings');}},
        height:function(f){if(isInline&&f.height>=0&&f.height<1e5){frame.style.height=f.height+'px';measure();}},
        tab:function(f){if(!isDialog)return;if(cross&&!cross.hidden)cross.focus();else enter(f.back);},
        ready:function(f){told=true;if(cross&&!(f.closes||(p.scripts&&f.calls)))cross.hidden=false;
        if(f.title){frame.title=f.title;if(isDialog)card.setAttribute('aria-label',f.title);}}};
        if(frame)addEventListener('message',function(e){if(e.source!==frame.contentWindow)return;
        var m=e.data&&e.data.belfry,c=m&&m.command;
        if(typeof c==='string'&&Object.prototype.hasOwnProperty.call(heard,c))heard[c](m);});
        """

    private static let swiping = """
        if(isBanner){var from=null,moved=0;var away=p.type==='bannerTop'?-1:1;
        card.addEventListener('pointerdown',function(e){if(!card.classList.contains('over')&&e.isPrimary){from=e.clientY;\
        moved=0;}});
        card.addEventListener('pointermove',function(e){if(from===null)return;moved=(e.clientY-from)*away;
        if(Math.abs(moved)>8){card.setPointerCapture(e.pointerId);
        card.style.transform='translateY('+Math.max(moved,-8)*away+'px)';}});
        card.addEventListener('pointercancel',function(){from=null;card.style.transform='';});
        card.addEventListener('pointerup',function(){if(from===null)return;from=null;
        if(moved>40)close('swipe');else card.style.transform='';});
        card.addEventListener('click',function(e){if(Math.abs(moved)>8){e.stopPropagation();e.preventDefault();moved=0;}}\
        ,true);}
        """
}
