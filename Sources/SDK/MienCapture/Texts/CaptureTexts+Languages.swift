// Written by scripts/capture-texts from Web/Languages. Edit those.

extension CaptureTexts {
    /// The texts of each language, a line each: its name, a space, and the text.
    static let languages: [String: (isRightToLeft: Bool, lines: String)] = [
        "ar": (
            true,
            #"""
            action_blink أغمض عينيك وافتحهما
            action_come_closer اقترب أكثر
            action_keep_still اثبت قليلًا
            action_look_down انظر إلى الأسفل
            action_look_up انظر إلى الأعلى
            action_open_mouth افتح فمك
            action_turn_left أدر رأسك إلى اليسار
            action_turn_right أدر رأسك إلى اليمين
            button_back رجوع
            button_camera تشغيل الكاميرا
            button_cancel إلغاء
            button_continue متابعة
            button_retry إعادة المحاولة
            camera_busy أغلق التطبيقات الأخرى التي تستخدم الكاميرا، ثم أعد المحاولة.
            camera_missing وصّل كاميرا، أو تابع على جهاز مزوّد بكاميرا.
            camera_title الكاميرا غير متاحة
            capture_cannot لا أستطيع القيام ببعض الحركات
            capture_cannot_end لتخطّي حركة ما، ألغِ هذا التحقّق وابدأ من جديد.
            capture_cannot_few ستبقى حركات قليلة جدًا. اختر عددًا أقل، أو ألغِ وتابع بطريقة أخرى.
            capture_cannot_now لا أستطيع فعل ذلك
            capture_cannot_text سنطلب منك حركات أخرى بدلًا منها.
            capture_cannot_title ما الحركات التي لا تستطيع القيام بها؟
            capture_error_text تعذّر على الخادم الرد. أعد المحاولة بعد قليل.
            capture_error_title حدث خطأ ما
            capture_expired_title انتهت صلاحية هذا الرابط
            capture_failed_title لم ينجح ذلك
            capture_heading التحقّق من هويتك
            capture_loading لحظة من فضلك…
            capture_offline لا يوجد اتصال. نعيد المحاولة…
            capture_passed_title شكرًا لك
            capture_picture_kept تُحفظ صورة لوجهك مع عملية التحقق الخاصة بك.
            capture_picture_not_kept لا نحتفظ بأي صورة.
            capture_preview صورة الكاميرا
            capture_ready_text قف مقابل الضوء، واخلع القبعة أو النظارة الشمسية. لن يستغرق الأمر سوى ثوانٍ.
            capture_ready_title انظر إلى الكاميرا
            document_again التقاط صورة أخرى
            document_again_title نحتاج إلى صورة أخرى
            document_back_text اقلب البطاقة وصوّر الوجه الآخر.
            document_back_title_driverLicense ظهر رخصة القيادة
            document_back_title_idCard ظهر بطاقة الهوية
            document_cancel_no متابعة
            document_cancel_text ستُحذف الصور التي التقطتها.
            document_cancel_title هل تريد إيقاف التحقّق؟
            document_cancel_yes إيقاف التحقّق
            document_canceled_text لم يُتحقَّق من أي شيء. ارجع إلى التطبيق لتبدأ من جديد.
            document_canceled_title أُوقف التحقّق
            document_change تغيير
            document_check_text هل كل شيء واضح ومقروء؟ أرسله إذًا.
            document_check_title راجع ثم أرسل
            document_checking جارٍ فحص الصورة…
            document_choose_country البلد الذي أصدرها
            document_choose_country_missing اختر البلد الذي أصدر وثيقتك.
            document_choose_country_none اختر بلدًا
            document_choose_title أي وثيقة معك الآن؟
            document_choose_type الوثيقة
            document_choose_type_missing اختر وثيقة.
            document_consent_agree أوافق
            document_done_text هذا كل شيء. يتابع {app} من هنا.
            document_done_title شكرًا لك
            document_face وجهك
            document_face_missing لم يُسجَّل وجهك. سيُقارن بالصورة التي على وثيقتك.
            document_face_title أظهر وجهك
            document_fault_blurred الصورة غير واضحة. ثبّت الكاميرا وانتظر حتى تتضح الصورة.
            document_fault_cut_off جزء من الوثيقة خارج الصورة. أظهر الزوايا الأربع.
            document_fault_glare انعكاس الضوء يخفي جزءًا من الوثيقة. أمِلها قليلًا أو ابتعد عن الضوء.
            document_fault_no_document لم نجد وثيقة في الصورة. ضعها على سطح أملس مع ترك مسافة حولها.
            document_fault_no_reflection لم يتحرك أي ضوء على الوثيقة. أمسكها قرب مصباح أو نافذة وأملها ببطء.
            document_fault_other_country هذه الوثيقة من بلد غير الذي اخترته. اختر بلدها أو استخدم وثيقة أخرى.
            document_fault_other_document هذه ليست الوثيقة التي في صورتك الأولى. استخدم الوثيقة نفسها.
            document_fault_other_type هذه الوثيقة من نوع غير الذي اخترته. اختر نوعها أو استخدم وثيقة أخرى.
            document_fault_same_side تُظهر الصورتان الوجه نفسه من الوثيقة. التقط صورة للوجه الآخر.
            document_fault_several_documents في الصورة أكثر من وثيقة. أظهر وثيقة واحدة فقط.
            document_fault_tilt_more لم تُمَل الوثيقة بما يكفي. أملها أكثر إلى الأعلى والأسفل.
            document_fault_too_dark الصورة مظلمة جدًا. ابحث عن إضاءة أقوى.
            document_fault_too_small الوثيقة صغيرة جدًا في الصورة. اقترب أكثر.
            document_fault_unreadable تعذّر فتح هذه الصورة. التقط صورة أخرى.
            document_front_text ضعها على سطح أملس في إضاءة جيدة. تُلتقط الصورة تلقائيًا عند ظهور الزوايا الأربع.
            document_front_text_passport افتحه على صفحة صورتك، بما فيها أسطر الحروف في الأسفل. تُلتقط الصورة تلقائيًا عند ظهور الزوايا الأربع.
            document_front_title_driverLicense وجه رخصة القيادة
            document_front_title_idCard وجه بطاقة الهوية
            document_front_title_passport صفحة الصورة في جواز سفرك
            document_good صورة جيدة
            document_guide_blurred ثبّت الكاميرا
            document_guide_by_hand التقط الصورة بالزر
            document_guide_cut_off أظهر الزوايا الأربع
            document_guide_glare أمِلها بعيدًا عن الانعكاس
            document_guide_hold_still لا تتحرك…
            document_guide_no_document_document_back أظهر ظهر البطاقة
            document_guide_no_document_document_front أظهر وجه البطاقة
            document_guide_no_document_passport أظهر صفحة صورتك
            document_guide_several_documents وثيقة واحدة فقط من فضلك
            document_guide_tilt أملها ببطء إلى الأعلى والأسفل، وإلى الجانبين
            document_guide_too_dark ابحث عن إضاءة أقوى
            document_guide_too_small اقترب أكثر
            document_heading التحقّق من وثيقة هويتك
            document_other استخدام وثيقة أخرى
            document_other_choice تغيير البلد أو النوع
            document_processing_text يستغرق هذا عادةً أقل من دقيقة. يمكنك ترك هذه الصفحة مفتوحة.
            document_processing_title جارٍ التحقّق من هويتك
            document_reason_document_damaged لم نتمكن من قراءة كل ما هو مطبوع على الوثيقة. نظّفها أو استخدم وثيقة أخرى.
            document_reason_document_expired انتهت صلاحية هذه الوثيقة. استخدم وثيقة سارية.
            document_reason_document_not_supported لا يمكننا قراءة هذه الوثيقة. تحقّق من البلد ونوع الوثيقة اللذين اخترتهما، أو استخدم وثيقة أخرى.
            document_reason_image_missing لا تظهر الوثيقة في الصورة.
            document_reason_poor_image_quality الصورة ليست واضحة بما يكفي لقراءتها.
            document_reason_selfie نحتاج إلى رؤية وجهك مرة أخرى.
            document_retake إعادة الالتقاط
            document_send إرسال
            document_side_back الوجه الخلفي
            document_side_front الوجه الأمامي
            document_side_passport صفحة الصورة
            document_side_tilt مائلة
            document_step الخطوة {step} من {count}
            document_take التقاط الصورة
            document_taken تم
            document_tilt_busy واصل الإمالة، سيستغرق هذا لحظة
            document_tilt_checking جارٍ التحقق من الصور…
            document_tilt_left_out تم تخطيها
            document_tilt_skip المتابعة من دون هذا
            document_tilt_text أمسكها أمام الكاميرا قرب مصباح أو نافذة. أملها ببطء إلى الأعلى والأسفل وإلى الجانبين حتى يتحرك الضوء عليها. إذا تخطيت هذا، فقد يحتاج شخص إلى الاطلاع على صورك.
            document_tilt_tip أملها أكثر قليلًا في كل مرة. أبقِ الزوايا الأربع ظاهرة.
            document_tilt_title أمِل وثيقتك
            document_tip يمكنك أيضًا التقاط الصورة بالزر.
            document_type_driverLicense رخصة قيادة
            document_type_idCard بطاقة هوية
            document_type_passport جواز سفر
            guidance_different_face الشخص نفسه فقط من فضلك
            guidance_done أحسنت
            guidance_eyes_closed افتح عينيك
            guidance_face_not_found ضع وجهك داخل الإطار
            guidance_face_too_close ابتعد قليلًا
            guidance_face_too_far اقترب أكثر
            guidance_look_straight انظر إلى الأمام
            guidance_low_contrast ابحث عن إضاءة أفضل
            guidance_misaligned_face اجعل وجهك في الوسط
            guidance_multiple_faces شخص واحد فقط من فضلك
            guidance_obscured_face أظهر وجهك كاملًا
            guidance_too_bright ابحث عن إضاءة أخف
            guidance_too_dark ابحث عن إضاءة أقوى
            guidance_too_much_movement تحرّك ببطء أكثر
            guidance_wait لحظة من فضلك…
            kit_camera_denied اسمح لهذا التطبيق باستخدام الكاميرا من الإعدادات، ثم حاول مرة أخرى.
            kit_settings فتح الإعدادات
            refusal_action_missed لم تُنفَّذ حركة أو جاءت في غير وقتها. اتبع كل تعليمة فور ظهورها.
            refusal_action_out_of_order لم تُنفَّذ حركة أو جاءت في غير وقتها. اتبع كل تعليمة فور ظهورها.
            refusal_bad_quality لم تكن الصورة واضحة بما يكفي. ابحث عن إضاءة أفضل وثبّت الكاميرا.
            refusal_blink_missed لم تُنفَّذ حركة أو جاءت في غير وقتها. اتبع كل تعليمة فور ظهورها.
            refusal_cancelled انتهى هذا التحقّق. ارجع إلى التطبيق وابدأ من جديد.
            refusal_capture_closed انتهى هذا التحقّق. ارجع إلى التطبيق وابدأ من جديد.
            refusal_capture_elsewhere أُعيد تحميل الصفحة أثناء التحقّق، أو أنه مستمر في مكان آخر. ابدأ من جديد.
            refusal_capture_replaced فُتح في علامة تبويب أخرى أو على جهاز آخر. إن لم تكن أنت من فعل ذلك، فارجع إلى التطبيق وابدأ من جديد.
            refusal_clock_went_back انقطع الاتصال أو كان بطيئًا. أعد المحاولة باتصال أفضل.
            refusal_different_face لم يبدُ وجهك كما هو طوال الوقت. كن وحدك أمام الكاميرا، وأبقِ وجهك مكشوفًا في إضاءة متوازنة، وتحرّك ببطء.
            refusal_expired انتهى هذا التحقّق. ارجع إلى التطبيق وابدأ من جديد.
            refusal_face_changed لم يبدُ وجهك كما هو طوال الوقت. كن وحدك أمام الكاميرا، وأبقِ وجهك مكشوفًا في إضاءة متوازنة، وتحرّك ببطء.
            refusal_face_jumped خرج وجهك من الإطار. ابقَ داخله حتى النهاية وتحرّك ببطء.
            refusal_face_lost خرج وجهك من الإطار. ابقَ داخله حتى النهاية وتحرّك ببطء.
            refusal_flat لم نتمكّن من التأكّد من هويتك. أعد المحاولة في إضاءة متوازنة ووجهك مكشوف.
            refusal_frame_altered لم نتمكّن من التأكّد من هويتك. أعد المحاولة في إضاءة متوازنة ووجهك مكشوف.
            refusal_frame_early انقطع الاتصال أو كان بطيئًا. أعد المحاولة باتصال أفضل.
            refusal_frame_late انقطع الاتصال أو كان بطيئًا. أعد المحاولة باتصال أفضل.
            refusal_interrupted انقطع هذا التحقّق. أعد المحاولة.
            refusal_invalid_credentials انتهى هذا التحقّق. ارجع إلى التطبيق وابدأ من جديد.
            refusal_light_flat لم نتمكّن من التأكّد من هويتك. أعد المحاولة في إضاءة متوازنة ووجهك مكشوف.
            refusal_light_not_followed لم نتمكّن من التأكّد من هويتك. أعد المحاولة في إضاءة متوازنة ووجهك مكشوف.
            refusal_network_error انقطع الاتصال أو كان بطيئًا. أعد المحاولة باتصال أفضل.
            refusal_no_match لم نتمكّن من التأكّد من هويتك. أعد المحاولة في إضاءة متوازنة ووجهك مكشوف.
            refusal_other لم نتمكّن من التأكّد من هويتك. أعد المحاولة في إضاءة متوازنة ووجهك مكشوف.
            refusal_presentation_attack لم نتمكّن من التأكّد من هويتك. أعد المحاولة في إضاءة متوازنة ووجهك مكشوف.
            refusal_print_or_screen لم نتمكّن من التأكّد من هويتك. أعد المحاولة في إضاءة متوازنة ووجهك مكشوف.
            refusal_repeated_frames لم نتمكّن من التأكّد من هويتك. أعد المحاولة في إضاءة متوازنة ووجهك مكشوف.
            refusal_replayed لم نتمكّن من التأكّد من هويتك. أعد المحاولة في إضاءة متوازنة ووجهك مكشوف.
            refusal_server_error تعذّر على الخادم الرد. أعد المحاولة بعد قليل.
            refusal_source_ended انقطع الاتصال أو كان بطيئًا. أعد المحاولة باتصال أفضل.
            refusal_still_picture لم نتمكّن من التأكّد من هويتك. أعد المحاولة في إضاءة متوازنة ووجهك مكشوف.
            refusal_timed_out انتهى الوقت.
            refusal_too_many_frames انتهى الوقت.
            refusal_too_many_requests الخادم مشغول. انتظر لحظة ثم أعد المحاولة.
            refusal_unavailable الخادم مشغول. انتظر لحظة ثم أعد المحاولة.
            """#
        ),
        "en": (
            false,
            #"""
            action_blink Blink
            action_come_closer Come closer
            action_keep_still Hold still
            action_look_down Look down
            action_look_up Look up
            action_open_mouth Open your mouth
            action_turn_left Turn your head left
            action_turn_right Turn your head right
            button_back Back
            button_camera Start camera
            button_cancel Cancel
            button_continue Continue
            button_retry Try again
            camera_busy Close other apps that use the camera, then try again.
            camera_missing Connect a camera, or continue on a device that has one.
            camera_title The camera is not available
            capture_cannot I can’t do some movements
            capture_cannot_end To leave out a movement, cancel this check and start again.
            capture_cannot_few Too few movements would remain. Choose fewer, or cancel and continue another way.
            capture_cannot_now I can’t do this
            capture_cannot_text You will be asked for others instead.
            capture_cannot_title Which movements can’t you do?
            capture_error_text The server could not answer. Try again in a moment.
            capture_error_title Something went wrong
            capture_expired_title This link has ended
            capture_failed_title That didn’t work
            capture_heading Check that it’s you
            capture_loading One moment…
            capture_offline No connection. Trying again…
            capture_passed_title Thank you
            capture_picture_kept A picture of your face is kept with your verification.
            capture_picture_not_kept No pictures are kept.
            capture_preview Your camera
            capture_ready_text Face a light, and take off your hat or sunglasses. It takes a few seconds.
            capture_ready_title Look into the camera
            document_again Take another photo
            document_again_title Another photo, please
            document_back_text Turn the card over and photograph the other side.
            document_back_title_driverLicense Back of your driver license
            document_back_title_idCard Back of your identity card
            document_cancel_no Continue
            document_cancel_text The photos that you took will be deleted.
            document_cancel_title Stop the check?
            document_cancel_yes Stop the check
            document_canceled_text Nothing was checked. Go back to the app to start again.
            document_canceled_title The check was stopped
            document_change Change
            document_check_text Is everything sharp and readable? Then send it.
            document_check_title Check and send
            document_checking Checking the photo…
            document_choose_country Country that issued it
            document_choose_country_missing Choose the country that issued your document.
            document_choose_country_none Choose a country
            document_choose_title Which document do you have with you?
            document_choose_type Document
            document_choose_type_missing Choose a document.
            document_consent_agree I agree
            document_done_text That was everything. {app} continues from here.
            document_done_title Thank you
            document_face Your face
            document_face_missing Your face was not recorded. It is compared with the photo on your document.
            document_face_title Show your face
            document_fault_blurred The photo is blurred. Hold the camera still and wait until it is sharp.
            document_fault_cut_off A part of the document is missing. Show all four corners.
            document_fault_glare A reflection hides a part of the document. Tilt it a little, or move away from the light.
            document_fault_no_document We could not find a document in the photo. Lay it on a plain surface, with space around it.
            document_fault_no_reflection No light moved across the document. Hold it near a lamp or a window, and tilt it slowly.
            document_fault_other_country This document is from a different country than the one you chose. Choose its country, or use another document.
            document_fault_other_document This is not the document in your first photo. Use the same one.
            document_fault_other_type This is a different kind of document than the one you chose. Choose its kind, or use another document.
            document_fault_same_side Both photos show the same side. Take a photo of the other side.
            document_fault_several_documents There is more than one document in the photo. Show only one.
            document_fault_tilt_more The document was not tilted enough. Tilt it further up and down.
            document_fault_too_dark The photo is too dark. Find more light.
            document_fault_too_small The document is too small in the photo. Move closer.
            document_fault_unreadable This photo could not be opened. Take another one.
            document_front_text Lay it on a plain surface in good light. We take the photo as soon as all four corners are visible.
            document_front_text_passport Open it at the page with your photo, including the lines of letters at the bottom. We take the photo as soon as all four corners are visible.
            document_front_title_driverLicense Front of your driver license
            document_front_title_idCard Front of your identity card
            document_front_title_passport Photo page of your passport
            document_good Good photo
            document_guide_blurred Hold the camera still
            document_guide_by_hand Take the photo with the button
            document_guide_cut_off Show all four corners
            document_guide_glare Tilt it away from the reflection
            document_guide_hold_still Hold still…
            document_guide_no_document_document_back Show the back of the card
            document_guide_no_document_document_front Show the front of the card
            document_guide_no_document_passport Show the page with your photo
            document_guide_several_documents Only one document, please
            document_guide_tilt Tilt it slowly up and down, and to both sides
            document_guide_too_dark Find more light
            document_guide_too_small Move closer
            document_heading Check your identity document
            document_other Use another document
            document_other_choice Change the country or kind
            document_processing_text This usually takes less than a minute. You can leave this page open.
            document_processing_title Checking your identity
            document_reason_document_damaged We could not read everything that is printed on the document. Clean it, or use another one.
            document_reason_document_expired This document has expired. Use one that is still valid.
            document_reason_document_not_supported We cannot read this document. Check the country and the kind of document that you chose, or use another one.
            document_reason_image_missing The photo does not show the document.
            document_reason_poor_image_quality The photo is not clear enough to be read.
            document_reason_selfie We need to see your face once more.
            document_retake Take again
            document_send Send
            document_side_back Back
            document_side_front Front
            document_side_passport Photo page
            document_side_tilt Tilted
            document_step Step {step} of {count}
            document_take Take the photo
            document_taken Taken
            document_tilt_busy Keep tilting, this takes a moment
            document_tilt_checking Checking the photos…
            document_tilt_left_out Left out
            document_tilt_skip Continue without this
            document_tilt_text Hold it in front of the camera, near a lamp or a window. Tilt it slowly up and down, and to both sides, so that light moves across it. If you leave this out, a person may have to look at your photos.
            document_tilt_tip Tilt it a little further each time. Keep all four corners visible.
            document_tilt_title Tilt your document
            document_tip You can also take the photo with the button.
            document_type_driverLicense Driver license
            document_type_idCard Identity card
            document_type_passport Passport
            guidance_different_face Only the same person, please
            guidance_done Well done
            guidance_eyes_closed Open your eyes
            guidance_face_not_found Put your face in the oval
            guidance_face_too_close Move back a little
            guidance_face_too_far Come closer
            guidance_look_straight Look straight ahead
            guidance_low_contrast Find better light
            guidance_misaligned_face Center your face
            guidance_multiple_faces Only one person, please
            guidance_obscured_face Show your whole face
            guidance_too_bright Find softer light
            guidance_too_dark Find more light
            guidance_too_much_movement Move more slowly
            guidance_wait One moment…
            kit_camera_denied Allow the camera for this app in Settings, then try again.
            kit_settings Open Settings
            refusal_action_missed A movement was missed, or came at the wrong time. Follow each instruction as soon as it appears.
            refusal_action_out_of_order A movement was missed, or came at the wrong time. Follow each instruction as soon as it appears.
            refusal_bad_quality The picture was not clear enough. Find better light and hold the camera still.
            refusal_blink_missed A movement was missed, or came at the wrong time. Follow each instruction as soon as it appears.
            refusal_cancelled This check has ended. Go back to the app and start again.
            refusal_capture_closed This check has ended. Go back to the app and start again.
            refusal_capture_elsewhere The page was loaded again during the check, or the check goes on elsewhere. Start again.
            refusal_capture_replaced It was opened in another tab or on another device. If that was not you, go back to the app and start again.
            refusal_clock_went_back The connection was lost or too slow. Try again with a better connection.
            refusal_different_face Your face did not look the same the whole time. Only you may be in front of the camera: keep your face uncovered, in even light, and move slowly.
            refusal_expired This check has ended. Go back to the app and start again.
            refusal_face_changed Your face did not look the same the whole time. Only you may be in front of the camera: keep your face uncovered, in even light, and move slowly.
            refusal_face_jumped Your face left the oval. Stay in it until the end, and move slowly.
            refusal_face_lost Your face left the oval. Stay in it until the end, and move slowly.
            refusal_flat We could not confirm that it is you. Try again in even light, with your face uncovered.
            refusal_frame_altered We could not confirm that it is you. Try again in even light, with your face uncovered.
            refusal_frame_early The connection was lost or too slow. Try again with a better connection.
            refusal_frame_late The connection was lost or too slow. Try again with a better connection.
            refusal_interrupted This check was interrupted. Please try again.
            refusal_invalid_credentials This check has ended. Go back to the app and start again.
            refusal_light_flat We could not confirm that it is you. Try again in even light, with your face uncovered.
            refusal_light_not_followed We could not confirm that it is you. Try again in even light, with your face uncovered.
            refusal_network_error The connection was lost or too slow. Try again with a better connection.
            refusal_no_match We could not confirm that it is you. Try again in even light, with your face uncovered.
            refusal_other We could not confirm that it is you. Try again in even light, with your face uncovered.
            refusal_presentation_attack We could not confirm that it is you. Try again in even light, with your face uncovered.
            refusal_print_or_screen We could not confirm that it is you. Try again in even light, with your face uncovered.
            refusal_repeated_frames We could not confirm that it is you. Try again in even light, with your face uncovered.
            refusal_replayed We could not confirm that it is you. Try again in even light, with your face uncovered.
            refusal_server_error The server could not answer. Try again in a moment.
            refusal_source_ended The connection was lost or too slow. Try again with a better connection.
            refusal_still_picture We could not confirm that it is you. Try again in even light, with your face uncovered.
            refusal_timed_out The time ran out.
            refusal_too_many_frames The time ran out.
            refusal_too_many_requests The server is busy. Wait a moment, then try again.
            refusal_unavailable The server is busy. Wait a moment, then try again.
            """#
        ),
        "es": (
            false,
            #"""
            action_blink Parpadea
            action_come_closer Acércate
            action_keep_still Quédate quieto un momento
            action_look_down Mira hacia abajo
            action_look_up Mira hacia arriba
            action_open_mouth Abre la boca
            action_turn_left Gira la cabeza a la izquierda
            action_turn_right Gira la cabeza a la derecha
            button_back Atrás
            button_camera Encender la cámara
            button_cancel Cancelar
            button_continue Continuar
            button_retry Reintentar
            camera_busy Cierra otras aplicaciones que usen la cámara y vuelve a intentarlo.
            camera_missing Conecta una cámara o continúa en un dispositivo que tenga una.
            camera_title La cámara no está disponible
            capture_cannot No puedo hacer algunos movimientos
            capture_cannot_end Para omitir un movimiento, cancela esta comprobación y empieza de nuevo.
            capture_cannot_few Quedarían muy pocos movimientos. Marca menos, o cancela y continúa de otra forma.
            capture_cannot_now No puedo hacerlo
            capture_cannot_text Te pediremos otros en su lugar.
            capture_cannot_title ¿Qué movimientos no puedes hacer?
            capture_error_text El servidor no ha podido responder. Vuelve a intentarlo en un momento.
            capture_error_title Algo ha salido mal
            capture_expired_title Este enlace ya no es válido
            capture_failed_title No ha funcionado
            capture_heading Comprueba que eres tú
            capture_loading Un momento…
            capture_offline Sin conexión. Reintentando…
            capture_passed_title Gracias
            capture_picture_kept Se guarda una imagen de tu rostro con tu verificación.
            capture_picture_not_kept No se guarda ninguna imagen.
            capture_preview Tu cámara
            capture_ready_text Ponte frente a la luz y quítate el sombrero o las gafas de sol. Solo tardará unos segundos.
            capture_ready_title Mira a la cámara
            document_again Hacer otra foto
            document_again_title Necesitamos otra foto
            document_back_text Da la vuelta a la tarjeta y fotografía la otra cara.
            document_back_title_driverLicense Reverso de tu permiso de conducir
            document_back_title_idCard Reverso de tu documento de identidad
            document_cancel_no Continuar
            document_cancel_text Se borrarán las fotos que has hecho.
            document_cancel_title ¿Detener la comprobación?
            document_cancel_yes Detener la comprobación
            document_canceled_text No se ha comprobado nada. Vuelve a la aplicación para empezar de nuevo.
            document_canceled_title Se detuvo la comprobación
            document_change Cambiar
            document_check_text ¿Se ve todo nítido y legible? Entonces envíalo.
            document_check_title Revisa y envía
            document_checking Comprobando la foto…
            document_choose_country País que lo expidió
            document_choose_country_missing Elige el país que expidió tu documento.
            document_choose_country_none Elige un país
            document_choose_title ¿Qué documento tienes a mano?
            document_choose_type Documento
            document_choose_type_missing Elige un documento.
            document_consent_agree Acepto
            document_done_text Eso era todo. {app} sigue a partir de aquí.
            document_done_title Gracias
            document_face Tu rostro
            document_face_missing No se registró tu rostro. Se compara con la foto de tu documento.
            document_face_title Muestra tu rostro
            document_fault_blurred La foto está borrosa. Mantén quieta la cámara y espera a que enfoque.
            document_fault_cut_off Falta una parte del documento. Muestra las cuatro esquinas.
            document_fault_glare Un reflejo tapa una parte del documento. Inclínalo un poco o aléjalo de la luz.
            document_fault_no_document No encontramos ningún documento en la foto. Ponlo sobre una superficie lisa, con espacio alrededor.
            document_fault_no_reflection Ningún reflejo se movió sobre el documento. Sujétalo cerca de una lámpara o una ventana e inclínalo despacio.
            document_fault_other_country Este documento es de un país distinto al que has elegido. Elige su país o usa otro documento.
            document_fault_other_document Este no es el documento de tu primera foto. Usa el mismo.
            document_fault_other_type Este documento no es del tipo que has elegido. Elige su tipo o usa otro documento.
            document_fault_same_side Las dos fotos muestran la misma cara. Haz una foto de la otra cara.
            document_fault_several_documents Hay más de un documento en la foto. Muestra solo uno.
            document_fault_tilt_more El documento no se inclinó lo suficiente. Inclínalo más hacia arriba y hacia abajo.
            document_fault_too_dark La foto está demasiado oscura. Busca más luz.
            document_fault_too_small El documento se ve demasiado pequeño. Acércate más.
            document_fault_unreadable No se pudo abrir esta foto. Haz otra.
            document_front_text Ponlo sobre una superficie lisa y con buena luz. La foto se hace sola cuando se ven las cuatro esquinas.
            document_front_text_passport Ábrelo por la página con tu foto, con las líneas de letras de abajo. La foto se hace sola cuando se ven las cuatro esquinas.
            document_front_title_driverLicense Anverso de tu permiso de conducir
            document_front_title_idCard Anverso de tu documento de identidad
            document_front_title_passport Página con foto de tu pasaporte
            document_good Buena foto
            document_guide_blurred Mantén quieta la cámara
            document_guide_by_hand Haz la foto con el botón
            document_guide_cut_off Muestra las cuatro esquinas
            document_guide_glare Inclínalo para evitar el reflejo
            document_guide_hold_still No te muevas…
            document_guide_no_document_document_back Muestra el reverso de la tarjeta
            document_guide_no_document_document_front Muestra el anverso de la tarjeta
            document_guide_no_document_passport Muestra la página con tu foto
            document_guide_several_documents Solo un documento, por favor
            document_guide_tilt Inclínalo despacio hacia arriba y abajo, y hacia ambos lados
            document_guide_too_dark Busca más luz
            document_guide_too_small Acércate
            document_heading Comprobación de tu documento
            document_other Usar otro documento
            document_other_choice Cambiar el país o el tipo
            document_processing_text Suele tardar menos de un minuto. Puedes dejar esta página abierta.
            document_processing_title Comprobando tu identidad
            document_reason_document_damaged No pudimos leer todo lo que está impreso en el documento. Límpialo o usa otro.
            document_reason_document_expired Este documento ha caducado. Usa uno que siga vigente.
            document_reason_document_not_supported No podemos leer este documento. Revisa el país y el tipo de documento que elegiste, o usa otro.
            document_reason_image_missing En la foto no se ve el documento.
            document_reason_poor_image_quality La foto no es lo bastante clara para leerla.
            document_reason_selfie Necesitamos ver tu rostro otra vez.
            document_retake Repetir
            document_send Enviar
            document_side_back Reverso
            document_side_front Anverso
            document_side_passport Página con foto
            document_side_tilt Inclinado
            document_step Paso {step} de {count}
            document_take Hacer la foto
            document_taken Hecho
            document_tilt_busy Sigue inclinándolo, tarda un momento
            document_tilt_checking Comprobando las fotos…
            document_tilt_left_out Omitido
            document_tilt_skip Continuar sin esto
            document_tilt_text Sujétalo delante de la cámara, cerca de una lámpara o una ventana. Inclínalo despacio hacia arriba y abajo, y hacia ambos lados, para que la luz se mueva sobre él. Si omites este paso, puede que una persona tenga que ver tus fotos.
            document_tilt_tip Inclínalo un poco más cada vez. Mantén visibles las cuatro esquinas.
            document_tilt_title Inclina tu documento
            document_tip También puedes hacer la foto con el botón.
            document_type_driverLicense Permiso de conducir
            document_type_idCard Documento de identidad
            document_type_passport Pasaporte
            guidance_different_face La misma persona, por favor
            guidance_done Muy bien
            guidance_eyes_closed Abre los ojos
            guidance_face_not_found Pon la cara dentro del óvalo
            guidance_face_too_close Aléjate un poco
            guidance_face_too_far Acércate un poco
            guidance_look_straight Mira de frente
            guidance_low_contrast Busca mejor luz
            guidance_misaligned_face Centra la cara
            guidance_multiple_faces Solo una persona, por favor
            guidance_obscured_face Muestra toda la cara
            guidance_too_bright Busca una luz más suave
            guidance_too_dark Busca más luz
            guidance_too_much_movement Muévete más despacio
            guidance_wait Un momento…
            kit_camera_denied Permite la cámara para esta aplicación en Ajustes y vuelve a intentarlo.
            kit_settings Abrir Ajustes
            refusal_action_missed Faltó un movimiento o llegó a destiempo. Sigue cada instrucción en cuanto aparezca.
            refusal_action_out_of_order Faltó un movimiento o llegó a destiempo. Sigue cada instrucción en cuanto aparezca.
            refusal_bad_quality La imagen no era lo bastante clara. Busca mejor luz y mantén quieta la cámara.
            refusal_blink_missed Faltó un movimiento o llegó a destiempo. Sigue cada instrucción en cuanto aparezca.
            refusal_cancelled Esta comprobación ha terminado. Vuelve a la aplicación y empieza de nuevo.
            refusal_capture_closed Esta comprobación ha terminado. Vuelve a la aplicación y empieza de nuevo.
            refusal_capture_elsewhere La página se ha vuelto a cargar durante la comprobación, o esta continúa en otro lugar. Empieza de nuevo.
            refusal_capture_replaced Se ha abierto en otra pestaña o en otro dispositivo. Si no has sido tú, vuelve a la aplicación y empieza de nuevo.
            refusal_clock_went_back La conexión se perdió o era demasiado lenta. Inténtalo con una conexión mejor.
            refusal_different_face Tu cara no se vio igual todo el tiempo. Solo tú puedes estar ante la cámara: mantén la cara descubierta, con luz uniforme, y muévete despacio.
            refusal_expired Esta comprobación ha terminado. Vuelve a la aplicación y empieza de nuevo.
            refusal_face_changed Tu cara no se vio igual todo el tiempo. Solo tú puedes estar ante la cámara: mantén la cara descubierta, con luz uniforme, y muévete despacio.
            refusal_face_jumped Tu cara salió del óvalo. Mantente dentro hasta el final y muévete despacio.
            refusal_face_lost Tu cara salió del óvalo. Mantente dentro hasta el final y muévete despacio.
            refusal_flat No hemos podido confirmar que eres tú. Inténtalo con una luz uniforme y la cara descubierta.
            refusal_frame_altered No hemos podido confirmar que eres tú. Inténtalo con una luz uniforme y la cara descubierta.
            refusal_frame_early La conexión se perdió o era demasiado lenta. Inténtalo con una conexión mejor.
            refusal_frame_late La conexión se perdió o era demasiado lenta. Inténtalo con una conexión mejor.
            refusal_interrupted Esta comprobación se interrumpió. Inténtalo de nuevo.
            refusal_invalid_credentials Esta comprobación ha terminado. Vuelve a la aplicación y empieza de nuevo.
            refusal_light_flat No hemos podido confirmar que eres tú. Inténtalo con una luz uniforme y la cara descubierta.
            refusal_light_not_followed No hemos podido confirmar que eres tú. Inténtalo con una luz uniforme y la cara descubierta.
            refusal_network_error La conexión se perdió o era demasiado lenta. Inténtalo con una conexión mejor.
            refusal_no_match No hemos podido confirmar que eres tú. Inténtalo con una luz uniforme y la cara descubierta.
            refusal_other No hemos podido confirmar que eres tú. Inténtalo con una luz uniforme y la cara descubierta.
            refusal_presentation_attack No hemos podido confirmar que eres tú. Inténtalo con una luz uniforme y la cara descubierta.
            refusal_print_or_screen No hemos podido confirmar que eres tú. Inténtalo con una luz uniforme y la cara descubierta.
            refusal_repeated_frames No hemos podido confirmar que eres tú. Inténtalo con una luz uniforme y la cara descubierta.
            refusal_replayed No hemos podido confirmar que eres tú. Inténtalo con una luz uniforme y la cara descubierta.
            refusal_server_error El servidor no ha podido responder. Vuelve a intentarlo en un momento.
            refusal_source_ended La conexión se perdió o era demasiado lenta. Inténtalo con una conexión mejor.
            refusal_still_picture No hemos podido confirmar que eres tú. Inténtalo con una luz uniforme y la cara descubierta.
            refusal_timed_out Se acabó el tiempo.
            refusal_too_many_frames Se acabó el tiempo.
            refusal_too_many_requests El servidor está ocupado. Espera un momento y vuelve a intentarlo.
            refusal_unavailable El servidor está ocupado. Espera un momento y vuelve a intentarlo.
            """#
        ),
    ]
}
